//! Quadra: a language and compiler for small GPUs.
//!
//! This crate is the facade: it re-exports the layers under short names and holds the shipped [`kernels`]. The command
//! `quadra` is a crate of its own, `quadra-cli`.
//!
//! Features, all on by default: `quasar` is the array language, `cpu` the device of that name. Without them a program with kernels has
//! the reference interpreters, the emulated Raspberry Pi (`emu`) and a real one (`vc4`), and compiles in a third of the time.
#![forbid(unsafe_code)]

// What `#[kernel]` writes names this crate as everybody else does.
extern crate self as quadra;

#[cfg(doctest)]
mod book;
pub mod codes;
pub mod kernels;

pub use quadra_back_qpu as back_qpu;
pub use quadra_base as base;
pub use quadra_device as device;
pub use quadra_dsl as dsl;
#[doc(hidden)]
pub use quadra_dsl::rt;
pub use quadra_isa as qpu;
pub use quadra_kir as kir;
pub use quadra_passes as passes;
#[cfg(feature = "quasar")]
pub use quadra_quasar as quasar;

/// What a program with kernels needs: `use quadra::prelude::*`.
pub mod prelude {
    pub use quadra_device::{Device, Report, open as device};
    pub use quadra_dsl::prelude::*;
}
