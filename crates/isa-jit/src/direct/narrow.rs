//! Where vectors and masks are on processors without AVX-512.
//!
//! r0 to r3, sum and product have registers, r4 and r5 are where the engines keep them, the others are in the context.

use super::super::x64::gpr::{R9, R10, R11, RSI};
use super::super::x64::halves::{At, Bits, Places};
use super::alu::mask;
use super::call::layout;
use super::places::{CTX, constant, in_memory, zmm};
use crate::x64::Rm;
use quadra_isa::vc4::emu::translate::registers as slot;

/// The places that [`crate::x64::halves`] is to use.
pub fn places() -> Places {
    let vectors = std::array::from_fn(|n| match n as u8 {
        n @ 0..4 => At::Pair(2 * n),
        n @ (zmm::R4 | zmm::R5) => match in_memory(slot::ACC + n) {
            Rm::Mem(base, distance) => At::Memory(base, distance),
            _ => At::Constant(0),
        },
        zmm::SUM => At::Pair(8),
        zmm::PRODUCT => At::Pair(10),
        zmm::ZERO => At::Constant(0),
        zmm::ODD => At::Constant(constant::VALUES[constant::ODD as usize / 4]),
        zmm::ODD_BITS => At::Constant(constant::VALUES[constant::ODD_BITS as usize / 4]),
        n => At::Memory(CTX, layout::SCRATCH + 64 * i32::from(n)),
    });
    let bits = |number: i32| Bits::Memory(CTX, layout::SCRATCH_MASKS + 4 * number);
    let masks = std::array::from_fn(|n| match n as u8 + 1 {
        mask::Z => Bits::Reg(R9),
        mask::N => Bits::Reg(R10),
        mask::C => Bits::Reg(R11),
        mask::T => Bits::Reg(RSI),
        n => bits(n.into()),
    });
    let words = (CTX, layout::CONSTANTS);
    Places { vectors, masks, wide: (CTX, layout::SCRATCH_WIDE), words, values: &constant::VALUES }
}
