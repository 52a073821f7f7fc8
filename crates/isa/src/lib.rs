//! Internal crate of Quadra: no stable interface.
//!
//! The VideoCore IV QPU: encode, decode, assemble, disassemble, validate, emulate, time.
//!
//! Everything that belongs to one instruction set lies in a module of its own, so that other generations can stand
//! beside it. [`vc4`] is the GPU of the Raspberry Pi 0 to 3 (V3D 2.x).
#![deny(unsafe_code)]

pub mod codes;
pub mod vc4;

/// Chapters of the book whose Rust code is run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../book/src/assembly.md")]
mod book_assembly {}

#[cfg(doctest)]
#[doc = include_str!("../../../book/src/emulator-images.md")]
mod book_images {}
