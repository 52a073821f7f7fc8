//! Internal crate of Quadra: no stable interface.
//!
//! The language server of the Quasar array language. [`serve`] speaks the protocol over a connection, [`run`] over standard input and
//! output. `server` holds the open documents and the order of messages, `requests` finds the answer to each, `answers` has one file per
//! kind of question. They ask a `program::model::Model`: the analysis of a program with its imports, and what `resolve` says of its names.
//!
//! One thread does everything: messages that wait are read first, so that a burst of changes is analysed once and a request that was
//! cancelled meanwhile is not computed.
#![forbid(unsafe_code)]

pub mod program;
mod answers;
mod workspace;
mod requests;
pub mod server;

pub use server::{run, serve};
