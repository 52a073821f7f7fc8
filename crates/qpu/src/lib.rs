//! The VideoCore IV QPU: encode, decode, assemble, disassemble, validate, emulate, time.
#![deny(unsafe_code)]
