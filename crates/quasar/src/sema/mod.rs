//! What names and types mean: [`types`], [`declare`] (type definitions), [`scope`] (the names a function uses).

pub mod types;
pub mod declare;
pub mod scope;
