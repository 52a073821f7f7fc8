//! What is done with machine code whatever the machine: liveness, register allocation, modulo and list scheduling.

pub(crate) mod live_physical;
pub(crate) mod liveness;
pub(crate) mod modulo;
pub(crate) mod regalloc;
pub(crate) mod report;
pub(crate) mod schedule;
