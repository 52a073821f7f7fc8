//! Internal crate of Quadra: no stable interface.
//!
//! What every crate of Quadra shares: typed ids and tables ([`id`]), source files and places ([`source`]),
//! diagnostics ([`diag`]), the cache on disk ([`cache`]), files that appear whole ([`mod@file`]), requests to stop ([`stop`]), memory in use
//! ([`memory`]), faults on purpose ([`inject`]), quick hash maps ([`quick`]), comparing outputs ([`near`]), whether proofs are tested
//! ([`checked`]), threads that wait for work ([`team`]), and what tests leave out ([`testing`]). This crate knows nothing of kernels, machines or languages.
#![deny(unsafe_code)]

pub mod id;
pub mod source;
pub mod diag;
pub mod cache;
pub mod file;
pub mod stop;
pub mod memory;
pub mod inject;
pub mod near;
pub mod number;
pub mod quick;
pub mod checked;
#[allow(unsafe_code)]
pub mod team;
pub mod testing;

pub use diag::{CodeEntry, Diagnostic, Severity};
pub use id::Arena;
pub use source::{FileId, SHIPPED, Span};
