//! Iterative modulo scheduling for short bodies: which webs lie in which bank is chosen first, then times, then registers.

pub mod banks;
pub mod colour;
pub mod placement;
