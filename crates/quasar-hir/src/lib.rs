//! Internal crate of Quadra: no stable interface.
//!
//! What a Quasar program means before it runs: [`types`], [`declare`] (type definitions), [`scope`] (the names a function uses), [`grow`] (variables that grow), [`widen`] (arrays that are complex), [`infer`]
//! (types of variables and expressions), [`par`] (which loops count as kernels, and how they are carried out), [`kernel`] (bounds of
//! shared memory), [`live`] (what is read after a loop), [`certain`] (what every run meets), [`reach`] (how far around a position a function looks), [`quotient`] (quotients that are rounded at once), [`unused`] (values of which nothing is made). What built-in functions mean comes from
//! above as a [`meaning::Library`].
//!
//! Reading order: `types`, `meaning`, `scope`, `infer`, `par`.
#![forbid(unsafe_code)]

pub mod types;
pub mod op1;
pub mod op2;
pub mod meaning;
pub mod quotient;
pub mod declare;
pub mod scope;
pub mod grow;
pub mod widen;
pub mod infer;
pub mod certain;
pub mod kernel;
pub mod live;
pub mod par;
pub mod reach;
pub mod unused;
