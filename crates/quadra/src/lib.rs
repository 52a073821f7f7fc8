//! A language and compiler for small GPUs: the library and the command line.
#![forbid(unsafe_code)]
