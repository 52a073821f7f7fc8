//! What a kernel is made of: types, the registry of operations, instructions in blocks, names.

pub mod kernel;
pub mod names;
pub mod ops;
pub mod types;
mod core;
