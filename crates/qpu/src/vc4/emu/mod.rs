//! The emulator: what a program does, exact to the bit.
//!
//! Reading order: [`alu`] the operations on one lane, [`pack`] sub-word formats on one lane, [`flags`] conditions over 16
//! lanes, [`sfu`] the special function unit's model.

pub mod alu;
pub mod pack;
pub mod flags;
pub mod sfu;

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
