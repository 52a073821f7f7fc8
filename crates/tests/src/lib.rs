//! Internal crate of Quadra: no stable interface.
//!
//! Harness, fuzzers and house rules of Quadra's own tests.
#![forbid(unsafe_code)]

pub mod fuzz;
pub mod drop_in;
