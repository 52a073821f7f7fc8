//! Internal crate of Quadra: no stable interface.
//!
//! Matrix products, decompositions and Fourier transforms in two precisions, and lists in order, as plain functions.
//!
//! The libraries behind them, faer and rustfft, are generic: whoever calls them compiles them. They make up more than a third of the
//! code that the compiler would generate for the language crate each time that one changes; here it is generated once.
#![forbid(unsafe_code)]

pub mod fourier;
pub mod matrix;
pub mod order;
mod singular;
pub mod sparse;
pub mod spline;
pub mod threads;
pub mod vector;
#[cfg(target_arch = "x86_64")]
mod vectors;
pub mod wide;
