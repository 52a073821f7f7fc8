//! Operands that go through an unpacker.

use super::*;
use crate::direct::alu::{register, word};
use crate::direct::places::constant;

impl Emit<'_> {
    /// Unpacks the operands that are to be, each once for integers and for floats.
    pub(super) fn unpack(&mut self, alu: &Alu, operands: &mut [Rm; 4], [adds, muls]: [bool; 2]) {
        let muxes = [alu.add_a, alu.add_b, alu.mul_a, alu.mul_b];
        let floats = [alu.op_add.takes_floats(), alu.op_mul.takes_floats()];
        let mut done = [false; 2];
        for (n, mux) in muxes.into_iter().enumerate() {
            if !is_unpacked(alu, mux) || ![adds, muls][n / 2] {
                continue;
            }
            // What comes from r4 is a float in any case.
            let float = alu.pm || floats[n / 2];
            let to = zmm::UNPACKED[usize::from(float)];
            if !std::mem::replace(&mut done[usize::from(float)], true) {
                unpack(&mut self.asm, alu.unpack.code(), operands[n], to, float);
            }
            operands[n] = Rm::Reg(to);
        }
    }
}

/// The operand of `code`, as the emulator's `pack` has it.
fn unpack(asm: &mut Asm, code: u8, from: Rm, to: u8, float: bool) {
    let from = register(asm, from, zmm::T0);
    match code {
        1 | 2 if float => {
            if code == 1 {
                asm.vector(op::VPANDD, zmm::T1, from, word(constant::HALF), ALL);
            } else {
                asm.vector(op::VPSRLVD, zmm::T1, from, word(constant::C16), ALL);
            }
            half_to_float(asm, zmm::T1, to);
        }
        1 => {
            asm.vector(op::VPSLLVD, to, from, word(constant::C16), ALL);
            asm.vector(op::VPSRAVD, to, to, word(constant::C16), ALL);
        }
        2 => asm.vector(op::VPSRAVD, to, from, word(constant::C16), ALL),
        3 => {
            asm.vector(op::VPSRLVD, to, from, word(constant::SHIFT_24), ALL);
            asm.vector(op::VPMULLD, to, to, word(constant::SPREAD), ALL);
        }
        _ => {
            let from = match code {
                5 => Some(constant::C8),
                6 => Some(constant::C16),
                7 => Some(constant::SHIFT_24),
                _ => None,
            }
            .map_or(from, |shift| {
                asm.vector(op::VPSRLVD, to, from, word(shift), ALL);
                to
            });
            asm.vector(op::VPANDD, to, from, word(constant::BYTE), ALL);
            if float {
                // Rounding toward zero makes it the quotient cut to 24 bits.
                asm.vector(op::VCVTDQ2PS, to, 0, Rm::Reg(to), ALL);
                asm.vector(op::VDIVPS, to, to, word(constant::F255), ALL);
            }
        }
    }
}

/// A mantissa without exponent, or with the greatest one, stays as it is.
fn half_to_float(asm: &mut Asm, half: u8, to: u8) {
    asm.vector(op::VPANDD, zmm::T2, half, word(constant::HALF_MAGNITUDE), ALL);
    asm.vector(op::VPSLLVD, zmm::T2, zmm::T2, word(constant::C13), ALL);
    asm.vector(op::VPTESTNMD, mask::T, half, word(constant::HALF_EXPONENT), ALL);
    asm.vector(op::VPANDD, zmm::T3, half, word(constant::HALF_EXPONENT), ALL);
    asm.vector_imm(op::VPCMPUD, mask::U, zmm::T3, word(constant::HALF_EXPONENT), ALL, 0);
    asm.vector(op::VPADDD, to, zmm::T2, word(constant::HALF_BIAS), ALL);
    asm.vector(op::LOAD, to, 0, Rm::Reg(zmm::T2), keep(mask::T));
    asm.vector(op::VPORD, to, zmm::T2, word(constant::INFINITY), keep(mask::U));
    asm.vector(op::VPANDD, zmm::T3, half, word(constant::HALF_SIGN), ALL);
    asm.vector(op::VPSLLVD, zmm::T3, zmm::T3, word(constant::C16), ALL);
    asm.vector(op::VPORD, to, to, Rm::Reg(zmm::T3), ALL);
}
