//! What instruction selection gives.

use super::abi::UniformSlot;
use super::minst::Code;

/// Code over virtual registers and the uniform stream it reads.
pub struct Lowered {
    pub code: Code,
    pub slots: Vec<UniformSlot>,
    /// Bytes of scratch memory used so far; spilling adds to them.
    pub scratch_bytes: u32,
    /// The first row of the VPM that stores do not use.
    pub first_spill_row: u32,
}
