//! Internal crate of Quadra: the C library libquadra. `include/quadra.h` is its interface; everything here stands behind that.
//! `border` has the functions that C calls, `lend` takes memory of C for arrays of programs, `session` does the work.
#![deny(unsafe_code)]

#[allow(unsafe_code)]
pub mod border;
#[allow(unsafe_code)]
mod lend;
mod session;
pub mod types;
