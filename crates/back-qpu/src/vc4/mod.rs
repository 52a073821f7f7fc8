//! The VideoCore IV: instruction selection, its memory (TMU, VPM, DMA), its rules, its programs.

pub mod abi;
pub(crate) mod bundle;
pub(crate) mod cleanup;
pub(crate) mod contain;
pub(crate) mod emit;
pub(crate) mod improve;
pub(crate) mod lower;
pub(crate) mod minst;
pub(crate) mod route;
pub(crate) mod vpm_plan;
