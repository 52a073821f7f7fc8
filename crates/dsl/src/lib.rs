//! Kernels written in Rust.
#![forbid(unsafe_code)]
