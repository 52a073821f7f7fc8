//! Internal crate of Quadra: no stable interface.
//!
//! The Quasar array language: the front door. The way of a program: [`load`] reads it with its imports and what it uses of [`library`];
//! `quadra_quasar_syntax` makes a tree and diagnostics of text, never failing; `quadra_quasar_hir` finds what names and types mean and
//! judges loops; `quadra_quasar_vm` compiles the tree to register code and runs it; `quadra_quasar_lower` makes kernel IR of kernels and
//! parallel loops and launches it. [`session`] is what callers use.
#![forbid(unsafe_code)]

pub mod library;
pub mod load;
mod needed;
mod options;
mod predefine;
pub mod prompt;
pub mod reference;
pub mod around;
pub mod session;

pub use quadra_figure as figure;
pub use quadra_quasar_hir::infer::LoopVerdict;
pub use quadra_quasar_hir::types::{IntKind, Precision, Type};
pub use quadra_quasar_vm::{builtins, clock, debug, display, profile, storage, tensor, typing, value, watch};
