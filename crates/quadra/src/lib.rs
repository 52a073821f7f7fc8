//! Quadra: a language and compiler for small GPUs.
//!
//! This crate is the facade: it re-exports the layers under short names and holds the shipped [`kernels`]. The command
//! `quadra` is built from it.
#![forbid(unsafe_code)]

// What `#[kernel]` writes names this crate as everybody else does.
extern crate self as quadra;

pub mod bench;
pub mod cli;
pub mod codes;
pub mod kernels;
#[cfg(doctest)]
mod book;
pub mod quasar_cli;
pub mod quasar_compare;
mod quasar_profile;
pub mod quasar_repl;
pub mod interrupt;
pub mod faults;
mod output;

pub use quadra_back_qpu as back_qpu;
pub use quadra_base as base;
pub use quadra_device as device;
pub use quadra_dsl as dsl;
#[doc(hidden)]
pub use quadra_dsl::rt;
pub use quadra_isa as qpu;
pub use quadra_kir as kir;
pub use quadra_passes as passes;
pub use quadra_quasar as quasar;

/// What a program with kernels needs: `use quadra::prelude::*`.
pub mod prelude {
    pub use quadra_device::{Device, Report, open as device};
    pub use quadra_dsl::prelude::*;
}
