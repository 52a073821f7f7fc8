//! The VideoCore IV: instruction selection, its memory (TMU, VPM, DMA), its rules, its programs.

pub mod abi;
pub(crate) mod bundle;
pub(crate) mod cleanup;
pub(crate) mod contain;
pub(crate) mod emit;
pub(crate) mod empty;
pub(crate) mod improve;
pub(crate) mod lower;
pub(crate) mod lowered;
pub(crate) mod minst;
pub mod options;
pub(crate) mod route;
mod rules;
pub(crate) mod spill;
#[cfg(test)]
mod tests;
pub(crate) mod vpm_plan;

/// The instruction set of the VideoCore IV's QPUs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Vc4;
