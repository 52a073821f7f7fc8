//! How long a program takes on the real chip: an approximation to the clock, with every parameter in one table.
//!
//! [`run`] executes the program on the functional emulator, instruction by instruction in the order of simulated time, and
//! charges each for its issue slot and for what it waits for: instruction cache, uniform stream, TMU results, special
//! function unit, VPM port, DMA engines, mutex and semaphores. [`params`] is the table, `units` what is shared between
//! QPUs, `cache` which lines are where; [`trace`]
//! and [`profile`] show where the time went.
//!
//! # How close it comes
//! Seconds on boards at 250 MHz, and in the model (launch by mailbox included where the program was launched so). The
//! matrix product is tested in `tests/sgemm.rs`; the others ran as QPULib's compiler translates them.
//!
//! | program | QPUs | board | model | error |
//! |---|---|---|---|---|
//! | matrix product 96 x 363 x 3072 | 1 | 0.23 | 0.2316 | +0.7 % |
//! | the same, A in 2 parts and B in 6 | 12 | 0.026 | 0.0263 | +1.2 % |
//! | QPULib Rot3D version 1, 192,000 vertices | 1 | 0.040 | 0.0405 | +1.3 % |
//! | version 2 | 1 | 0.018 | 0.0171 | -5.0 % |
//! | version 3 | 1 | 0.018 | 0.0171 | -5.0 % |
//! | version 3 | 2 | 0.016 | 0.0155 | -3.1 % |
//! | QPULib HeatMap 512 x 506, 2,000 steps | 1 | 49.34 | 49.40 | +0.1 % |
//! | the same | 2 | 24.91 | 24.96 | +0.2 % |
//! | the same | 4 | 20.36 | 20.34 | -0.1 % |

pub mod params;
mod cache;
mod units;
mod memory;
mod model;
pub mod trace;
pub mod profile;
pub mod report;
pub mod published;

pub use cache::LINE_BYTES;
pub use model::{Cause, Outcome, QpuTime, Stalls, run};
pub use params::{Board, Parameters};
pub use units::Lines;
