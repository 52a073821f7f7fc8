//! The Quasar array language: syntax, types, loop analysis, host interpreter.
#![forbid(unsafe_code)]
