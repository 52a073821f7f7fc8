//! Kernels written in Rust.
#![forbid(unsafe_code)]

mod record;
pub mod value;
pub mod ops;
pub mod math;
pub mod lanes;
pub mod ptr;
pub mod sync;
pub mod state;
mod exits;
pub mod flow;
pub mod args;
pub mod kernel;
pub mod codes;
#[doc(hidden)]
pub mod rt;

pub use kernel::{Compiled, Error, Kernel};
pub use lanes::*;
pub use math::*;
pub use ptr::{Ptr, gather, gather2, prefetch, receive, received, set_read_stride, set_write_stride, store};
pub use quadra_dsl_macros::{KernelState, kernel, kernel_fn};
pub use record::Raw;
pub use state::KernelState;
pub use sync::*;
pub use value::{Float, Int, Mask, float, int};

/// Everything a file with kernels needs.
pub mod prelude {
    pub use crate::*;
    pub use quadra_device::Buffer;
}
