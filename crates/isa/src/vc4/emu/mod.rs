//! The emulator: what a program does, exact to the bit but for the special functions (see [`sfu`]); no board has run our words.
//!
//! Reading order: [`alu`] the operations on one lane, [`pack`] sub-word formats on one lane, [`flags`] conditions over 16
//! lanes, [`sfu`] the special function unit's model; [`memory`], [`vpm`], [`dma`], [`texture`] what lies around the QPUs; `code` what
//! instructions are decoded to, `fast` the plain ones, `core`, `units`, `flow` one QPU, `rules` what becomes of a broken rule, `stale` the values that a board would not deliver, `engine` the loop that executes, [`Machine`] the whole.
//! [`translate`] is where a translator to native code meets the engines.

pub mod alu;
pub mod pack;
pub mod flags;
pub mod sfu;
pub mod fault;
pub mod memory;
pub mod vpm;
pub mod dma;
pub mod texture;
pub mod event;
mod table;
mod code;
mod lines;
mod queue;
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only the engine for AVX-512 uses all of it"))]
mod fast;
mod core;
mod rules;
mod stale;
mod units;
mod flow;
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only the engine for AVX-512 uses all of it"))]
mod vector;
mod portable;
mod engine;
#[allow(unsafe_code)]
mod native;
mod machine;
mod run;
pub mod inspect;
pub mod bench;
pub mod translate;

pub use self::core::Counts;
pub use dma::Transfer;
pub use engine::Engine;
pub use event::Event;
pub use fault::{Fault, FaultKind, RunError, Sink, WaitFor, Waiting, Warning};
pub use machine::{Config, Machine, ProbeHit, QPUS, Registers, Report, TURN, Thread};
pub use memory::{Memory, Region, Tail};
pub use sfu::SfuModel;
pub use translate::Translator;

/// Number of lanes of a QPU as the programmer sees it.
pub const LANES: usize = 16;

/// One 32-bit value per lane, aligned like a cache line so that 512-bit loads never straddle one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Lanes(pub [u32; LANES]);

impl Lanes {
    /// All lanes zero.
    pub const ZERO: Lanes = Lanes([0; LANES]);
    /// Lane i holds i.
    pub const INDEX: Lanes = Lanes([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);

    /// The same value in all lanes.
    pub const fn splat(value: u32) -> Lanes {
        Lanes([value; LANES])
    }
}
