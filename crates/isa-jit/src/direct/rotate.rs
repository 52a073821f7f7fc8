//! Rotations of the mul ALU's operands.

use super::super::x64::{ALL, Asm, Rm, op};
use super::alu::register;
use super::places::{in_memory, zmm};
use quadra_isa::vc4::Mux;
use quadra_isa::vc4::emu::translate::registers as slot;
use quadra_isa::vc4::imm::Rotation;

/// Lane i + n of the result is lane i of r0 to r3; any other operand is rotated inside each quad only.
pub fn rotate(asm: &mut Asm, mux: Mux, by: Rotation, from: Rm, to: u8) {
    let full = mux.as_accumulator().is_some_and(|r| r < 4);
    match by {
        Rotation::By(n) if full => {
            let from = register(asm, from, zmm::T0);
            asm.vector_imm(op::VALIGND, to, from, Rm::Reg(from), ALL, (16 - n % 16) % 16);
        }
        Rotation::By(n) => {
            let lanes = (0..4u8).fold(0, |code, lane| code | ((lane + 4 - n % 4) % 4) << (2 * lane));
            asm.vector_imm(op::VPSHUFD, to, 0, from, ALL, lanes);
        }
        Rotation::R5 => {
            // Both permutations look at the low bits of the lanes' numbers only.
            asm.vector(op::VPBROADCASTD, zmm::T1, 0, Rm::Reg(zmm::R5), ALL);
            asm.vector(op::LOAD, zmm::T2, 0, in_memory(slot::ELEMENT), ALL);
            asm.vector(op::VPSUBD, zmm::T1, zmm::T2, Rm::Reg(zmm::T1), ALL);
            if full {
                asm.vector(op::VPERMD, to, zmm::T1, from, ALL);
            } else {
                let from = register(asm, from, zmm::T0);
                asm.vector(op::VPERMILPS, to, from, Rm::Reg(zmm::T1), ALL);
            }
        }
    }
}
