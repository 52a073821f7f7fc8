//! Harness, fuzzers and house rules of Quadra's own tests.
#![forbid(unsafe_code)]

#[cfg(doctest)]
mod book;
pub mod fuzz;
