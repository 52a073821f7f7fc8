//! Answers to requests about one file, one kind of question per file. All take the model of a program and the file that is asked about.

pub mod actions;
pub mod completion;
pub mod edits;
pub mod diagnostics;
pub mod hints;
pub mod hover;
pub mod outline;
pub mod rename;
pub mod signature;
pub mod tokens;
