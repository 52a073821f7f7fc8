//! Internal crate of Quadra: no stable interface.
//!
//! The text of the Quasar array language and its tree.
//!
//! Text to tree: [`lexer`], [`parser`] with one module per kind of construct, the tree itself in [`ast`], and [`format`](mod@format)
//! for `quadra fmt`. Parsing never fails: it gives a tree and diagnostics, several of them where there are several errors.
#![forbid(unsafe_code)]

pub mod codes;
pub mod token;
pub mod lexer;
mod logic;
pub mod ast;
pub mod parser;
mod statement;
mod words;
mod brackets;
mod by_name;
mod ends;
mod expression;
mod typename;
mod callable;
mod habits;
pub mod pretty;
pub mod format;
