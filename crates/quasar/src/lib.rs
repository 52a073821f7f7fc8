//! The Quasar array language: syntax, types, loop analysis, host interpreter.
#![forbid(unsafe_code)]

pub mod codes;
pub mod syntax;
pub mod sema;
pub mod par;
pub mod host;
pub mod session;
