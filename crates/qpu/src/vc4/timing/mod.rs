//! How long a program takes on the real chip: an approximation to the clock, with every parameter in one table.
//!
//! [`run`] executes the program on the functional emulator, instruction by instruction in the order of simulated time, and
//! charges each for its issue slot and for what it waits for: instruction cache, uniform stream, TMU results, special
//! function unit, VPM port, DMA engines, mutex and semaphores. [`params`] is the table, [`units`] what is shared between
//! QPUs, `cache` which lines are where; [`trace`]
//! and [`profile`] show where the time went.

pub mod params;
mod cache;
mod units;
mod model;
pub mod trace;
pub mod profile;

pub use model::{Cause, Outcome, QpuTime, Stalls, run};
pub use params::{Board, Parameters};
