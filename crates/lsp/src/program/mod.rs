//! A program as an editor asks about it: text, tokens, analysis, and the meaning of every name.

pub mod language;
pub mod text;
pub mod uri;
pub mod source;
pub mod symbols;
pub mod resolve;
pub mod model;
