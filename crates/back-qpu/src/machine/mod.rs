//! What is done with machine code whatever the machine: liveness, register allocation, list and modulo scheduling, the report.
//!
//! An instruction set is a type that implements [`isa::Isa`]. `Code<I>` comes from its selection; [`regalloc::run`] gives it
//! registers, [`modulo::run`] pipelines loops, [`schedule::run`] makes slots of it, [`schedule::borders::separate`] and
//! [`schedule::delay::fill`] fit the blocks together.

pub mod cleanup;
pub mod code;
pub mod isa;
pub mod kind;
mod live_physical;
pub(crate) mod liveness;
pub mod modulo;
pub mod regalloc;
pub mod registers;
pub mod report;
pub mod schedule;
