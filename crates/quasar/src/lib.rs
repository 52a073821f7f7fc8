//! Internal crate of Quadra: no stable interface.
//!
//! The Quasar array language: syntax, types, loop analysis, host interpreter.
//!
//! The way of a program: [`quadra_quasar_syntax`] turns text into a tree and diagnostics, never failing. [`sema`] collects type definitions,
//! finds the names every function uses, and infers types as far as the text decides them; at each host loop it asks [`par`]
//! for a verdict, because a loop that counts as a kernel reads 0 outside arrays. [`host`] compiles the tree to register code
//! and runs it: variables have fixed registers, plain numbers and single elements have fast cases, everything else goes
//! through functions that know all types. Kernels run on the same machine, item by item; a launch goes through
//! `host::launch::Executor`. [`load`] reads programs with their imports and what they use of [`library`], [`session`] is what
//! callers use.
//!
//! Reading order: `quadra_quasar_syntax::ast`, `host::code`, `host::vm`, `host::value`, `host::tensor`, `par`.
#![forbid(unsafe_code)]

pub mod sema;
pub mod par;
pub mod host;
pub mod lower;
pub mod library;
pub mod load;
pub mod session;
