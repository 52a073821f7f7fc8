//! The kernel IR of Quadra: types, operations, text form, checker and reference interpreters.
#![forbid(unsafe_code)]
