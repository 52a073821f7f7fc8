//! What the kernels compute, in plain Rust, and their inputs.

pub mod case;
mod data;
pub mod numbers;
pub mod orders;
pub mod pictures;
