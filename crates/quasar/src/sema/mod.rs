//! What names and types mean: [`types`], [`declare`] (type definitions), [`scope`] (the names a function uses), [`infer`]
//! (types before the program runs), [`kernel`] (bounds of shared memory), [`live`] (what is read after a loop).

pub mod types;
pub mod declare;
pub mod scope;
pub mod infer;
mod builtin;
mod rules;
pub mod kernel;
pub mod live;
