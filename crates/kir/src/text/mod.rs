//! The text form of kernels, both ways.

pub mod parse;
pub mod print;
