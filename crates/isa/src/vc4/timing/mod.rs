//! How long a program takes on the real chip: an approximation to the clock, with every parameter in one table.
//!
//! [`run`] executes the program on the functional emulator, instruction by instruction in the order of simulated time, and
//! charges each for its issue slot and for what it waits for: instruction cache, uniform stream, TMU results, special
//! function unit, VPM port, DMA engines, mutex and semaphores. [`params`] is the table, `units` what is shared between
//! QPUs, `cache` which lines are where, `memory` what lies behind the V3D block's L2 cache, `channel` which line passes the
//! SDRAM's channel when; [`trace`] and [`profile`] show where the time went.
//!
//! # How close it comes
//! [`published`] lists times of boards, [`report`] models what it can of them. The matrix product is tested in
//! `tests/sgemm.rs`; the others ran as their own words, launches included: QPULib's examples as its compiler translates
//! them, the firmware's FFT with the words of its release 3.0. Every size from 2^8 to 2^20, alone or in a batch of ten,
//! comes within 9 %.
//!
//! | program | QPUs | board, seconds | model | error |
//! |---|---|---|---|---|
//! | matrix product 96 x 363 x 3072 | 1 | 0.23 | 0.2271 | -1.3 % |
//! | the same, A in 2 parts and B in 6 | 12 | 0.026 | 0.0253 | -2.6 % |
//! | QPULib Rot3D version 1, 192,000 vertices | 1 | 0.040 | 0.0404 | +1.1 % |
//! | version 2 | 1 | 0.018 | 0.0170 | -5.6 % |
//! | version 3 | 1 | 0.018 | 0.0170 | -5.6 % |
//! | version 3 | 2 | 0.016 | 0.0154 | -3.7 % |
//! | QPULib HeatMap 512 x 506, 2,000 steps | 1 | 49.34 | 49.21 | -0.3 % |
//! | the same | 2 | 24.91 | 24.76 | -0.6 % |
//! | the same | 4 | 20.36 | 20.15 | -1.0 % |
//! | FFT of 2^9 | 8 | 0.000049 | 0.0000466 | -5.0 % |
//! | FFT of 2^11 | 8 | 0.00012 | 0.000128 | +6.8 % |
//! | FFT of 2^13 | 8 | 0.00061 | 0.000630 | +3.2 % |
//! | FFT of 2^15 | 8 | 0.0035 | 0.00361 | +3.1 % |
//! | FFT of 2^17 | 8 | 0.017 | 0.0170 | -0.2 % |
//! | FFT of 2^19 | 8 | 0.097 | 0.0890 | -8.3 % |

pub mod params;
mod cache;
mod channel;
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
