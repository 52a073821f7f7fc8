//! Analyses and transformations of the kernel IR, and the pipelines made of them.
#![forbid(unsafe_code)]

pub mod legalize;
pub mod analysis;
pub mod promote;
pub mod pipeline;
pub mod mask;
pub mod access;
pub mod dce;
