//! Internal crate of Quadra: no stable interface.
//!
//! Analyses and transformations of the kernel IR, and the pipelines made of them.
#![forbid(unsafe_code)]

pub mod pipeline;
pub mod fission;
pub mod along;
pub mod wave;
pub mod mask;
pub mod legalize;
pub mod fold;
pub mod predicate;
pub mod replay;
pub mod analysis;
mod framework;
mod loops;
mod memory;
mod values;

pub use framework::{codes, pass};
pub use loops::{choices, ends, freeze, halves, interior, jam, limits, settled, unfold, unroll};
pub use mask::lockstep;
pub use memory::{access, defifo, fifo, forward};
pub use values::{bounds, cse, dce, induction, licm, mul24, promote, rejoin, specialise};
