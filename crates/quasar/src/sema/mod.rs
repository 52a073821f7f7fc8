//! What names and types mean: [`types`], [`declare`] (type definitions), [`scope`] (the names a function uses), [`infer`]
//! (types before the program runs), [`kernel`] (bounds of shared memory), [`live`] (what is read after a loop), [`certain`] (what every run
//! meets).

pub mod types;
pub mod declare;
pub mod scope;
pub mod infer;
mod builtin;
pub mod certain;
mod rules;
pub mod kernel;
pub mod live;
