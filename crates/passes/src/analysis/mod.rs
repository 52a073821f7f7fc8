//! Analyses: facts about a kernel that passes ask for. None of them changes it.

pub mod affine;
pub mod balance;
pub mod coherence;
pub mod covers;
pub mod floats;
pub mod linear;
pub mod queue;
pub mod range;
