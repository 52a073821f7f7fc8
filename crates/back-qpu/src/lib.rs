//! From SIMD kernel IR to scheduled QPU programs.
#![forbid(unsafe_code)]
