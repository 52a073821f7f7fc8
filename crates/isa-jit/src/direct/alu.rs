//! The operations of both ALUs in machine code.
//!
//! The processor rounds toward zero, reads denormals as zeros and flushes denormal results. What it does otherwise than the
//! QPU shows in the result: a zero with a sign, which is put right by adding zero, and magnitudes of the largest number and
//! above, which come from overflows, infinities and NaN, and lead to the engine's own code. One look finds both: [`odd`].

use super::super::x64::{ALL, Asm, Masked, Op, Rm, clear, keep, op};
use super::call::layout;
use super::places::{CTX, constant, zmm};
use quadra_isa::vc4::{AddOp, MulOp};

/// Masks: the flags, and scratch.
pub mod mask {
    pub const Z: u8 = 1;
    pub const N: u8 = 2;
    pub const C: u8 = 3;
    pub const ADD: u8 = 4;
    pub const MUL: u8 = 5;
    pub const T: u8 = 6;
    pub const U: u8 = 7;
}

/// A constant, for all lanes.
pub fn word(constant: i32) -> Rm {
    Rm::Word(CTX, layout::CONSTANTS + constant)
}

/// A constant by itself.
pub fn scalar(constant: i32) -> Rm {
    Rm::Scalar(CTX, layout::CONSTANTS + constant)
}

/// An operand in a vector register; it comes to `scratch` if it is in memory.
pub fn register(asm: &mut Asm, operand: Rm, scratch: u8) -> u8 {
    match operand {
        Rm::Reg(n) => n,
        memory if asm.has_halves() => {
            asm.alias(scratch, memory);
            scratch
        }
        memory => {
            copy(asm, scratch, memory, ALL);
            scratch
        }
    }
}

/// `to` = an operand.
fn copy(asm: &mut Asm, to: u8, operand: Rm, masked: Masked) {
    match operand {
        Rm::Word(base, distance) => asm.vector(op::VPBROADCASTD, to, 0, Rm::Scalar(base, distance), masked),
        other => asm.vector(op::LOAD, to, 0, other, masked),
    }
}

fn two(asm: &mut Asm, op: Op, to: u8, mut a: Rm, mut b: Rm) {
    // Only the last operand can be in memory; zeros and NaN, for which the order would matter, are not left as they come out.
    if !matches!(a, Rm::Reg(_)) && matches!(b, Rm::Reg(_)) && op.commutes() {
        (a, b) = (b, a);
    }
    let a = register(asm, a, zmm::T0);
    if op.takes_bytes() && matches!(b, Rm::Word(..)) {
        b = Rm::Reg(register(asm, b, zmm::T1));
    }
    asm.vector(op, to, a, b, ALL);
}

/// Integers that order floats as the hardware does.
fn key(asm: &mut Asm, v: Rm, to: u8) {
    let v = register(asm, v, to);
    asm.vector(op::VPMOVD2M, mask::T, 0, Rm::Reg(v), ALL);
    asm.vector(op::VPANDD, zmm::T1, v, word(constant::MAGNITUDE), ALL);
    if v != to {
        copy(asm, to, Rm::Reg(v), ALL);
    }
    asm.vector(op::VPSUBD, to, zmm::ZERO, Rm::Reg(zmm::T1), keep(mask::T));
}

fn counted(asm: &mut Asm, op: Op, to: u8, a: Rm, b: Rm) {
    let count = register(asm, b, zmm::T1);
    asm.vector(op::VPANDD, zmm::T1, count, word(constant::C31), ALL);
    two(asm, op, to, a, Rm::Reg(zmm::T1));
}

/// The result of the add ALU in `to`.
pub fn add(asm: &mut Asm, operation: AddOp, to: u8, a: Rm, b: Rm) {
    use AddOp::{And, Max, Min, Or};
    match operation {
        Or | And | Min | Max if a == b => copy(asm, to, a, ALL),
        AddOp::Nop => asm.vector(op::LOAD, to, 0, Rm::Reg(zmm::ZERO), ALL),
        AddOp::Fadd => two(asm, op::VADDPS, to, a, b),
        AddOp::Fsub => two(asm, op::VSUBPS, to, a, b),
        AddOp::Fmin | AddOp::Fmax => {
            key(asm, a, zmm::T2);
            key(asm, b, zmm::T3);
            asm.vector_imm(op::VPCMPD, mask::T, zmm::T2, Rm::Reg(zmm::T3), ALL, 6);
            let (other, greater) = if operation == AddOp::Fmin { (a, b) } else { (b, a) };
            copy(asm, to, other, ALL);
            copy(asm, to, greater, keep(mask::T));
        }
        AddOp::Fminabs | AddOp::Fmaxabs => {
            let [x, y] = [register(asm, a, zmm::T0), register(asm, b, zmm::T1)];
            asm.vector(op::VPANDD, zmm::T2, x, word(constant::MAGNITUDE), ALL);
            asm.vector(op::VPANDD, zmm::T3, y, word(constant::MAGNITUDE), ALL);
            let op = if operation == AddOp::Fminabs { op::VPMINSD } else { op::VPMAXSD };
            asm.vector(op, to, zmm::T2, Rm::Reg(zmm::T3), ALL);
        }
        AddOp::Ftoi => {
            let a = register(asm, a, zmm::T0);
            asm.vector(op::VPANDD, zmm::T1, a, word(constant::MAGNITUDE), ALL);
            asm.vector_imm(op::VPCMPD, mask::T, zmm::T1, word(constant::TWO_31), ALL, 1);
            asm.vector(op::VCVTTPS2DQ, to, 0, Rm::Reg(a), clear(mask::T));
        }
        AddOp::Itof => asm.vector(op::VCVTDQ2PS, to, 0, a, ALL),
        AddOp::Shr => counted(asm, op::VPSRLVD, to, a, b),
        AddOp::Asr => counted(asm, op::VPSRAVD, to, a, b),
        AddOp::Shl => counted(asm, op::VPSLLVD, to, a, b),
        AddOp::Not => {
            let a = register(asm, a, zmm::T0);
            asm.vector(op::VPXORD, to, a, word(constant::ONES), ALL);
        }
        AddOp::Clz => asm.vector(op::VPLZCNTD, to, 0, a, ALL),
        _ => two(asm, simple_add(operation), to, a, b),
    }
}

fn simple_add(operation: AddOp) -> Op {
    match operation {
        AddOp::Add => op::VPADDD,
        AddOp::Sub => op::VPSUBD,
        AddOp::Ror => op::VPRORVD,
        AddOp::Min => op::VPMINSD,
        AddOp::Max => op::VPMAXSD,
        AddOp::And => op::VPANDD,
        AddOp::Or => op::VPORD,
        AddOp::Xor => op::VPXORD,
        AddOp::V8adds => op::VPADDUSB,
        _ => op::VPSUBUSB,
    }
}

/// The result of the mul ALU in `to`.
pub fn mul(asm: &mut Asm, operation: MulOp, to: u8, a: Rm, b: Rm) {
    match operation {
        MulOp::V8min | MulOp::V8max if a == b => copy(asm, to, a, ALL),
        MulOp::Fmul => two(asm, op::VMULPS, to, a, b),
        MulOp::Mul24 => {
            let [a, b] = [register(asm, a, zmm::T0), register(asm, b, zmm::T1)];
            asm.vector(op::VPANDD, zmm::T2, a, word(constant::C24), ALL);
            asm.vector(op::VPANDD, zmm::T3, b, word(constant::C24), ALL);
            asm.vector(op::VPMULLD, to, zmm::T2, Rm::Reg(zmm::T3), ALL);
        }
        MulOp::V8min => two(asm, op::VPMINUB, to, a, b),
        MulOp::V8max => two(asm, op::VPMAXUB, to, a, b),
        MulOp::V8adds => two(asm, op::VPADDUSB, to, a, b),
        MulOp::V8subs => two(asm, op::VPSUBUSB, to, a, b),
        MulOp::Nop | MulOp::V8muld => asm.vector(op::LOAD, to, 0, Rm::Reg(zmm::ZERO), ALL),
    }
}

/// Flag C of the add ALU's result in the mask `to`; the operands must still be there.
pub fn carry(asm: &mut Asm, operation: AddOp, to: u8, [a, b]: [Rm; 2], result: u8) {
    let compare = |asm: &mut Asm, x: u8, y: Rm| asm.vector_imm(op::VPCMPD, to, x, y, ALL, 6);
    match operation {
        AddOp::Fadd | AddOp::Fsub => compare(asm, result, Rm::Reg(zmm::ZERO)),
        AddOp::Itof => {
            let a = register(asm, a, zmm::T0);
            compare(asm, a, Rm::Reg(zmm::ZERO));
        }
        AddOp::Fmin | AddOp::Fmax => {
            key(asm, a, zmm::T2);
            key(asm, b, zmm::T3);
            compare(asm, zmm::T2, Rm::Reg(zmm::T3));
        }
        AddOp::Fminabs | AddOp::Fmaxabs => {
            let [x, y] = [register(asm, a, zmm::T0), register(asm, b, zmm::T1)];
            asm.vector(op::VPANDD, zmm::T2, x, word(constant::MAGNITUDE), ALL);
            asm.vector(op::VPANDD, zmm::T3, y, word(constant::MAGNITUDE), ALL);
            compare(asm, zmm::T2, Rm::Reg(zmm::T3));
        }
        AddOp::Add => {
            let a = register(asm, a, zmm::T0);
            asm.vector_imm(op::VPCMPUD, to, result, Rm::Reg(a), ALL, 1);
        }
        AddOp::Sub => {
            let a = register(asm, a, zmm::T0);
            asm.vector_imm(op::VPCMPUD, to, a, b, ALL, 1);
        }
        AddOp::Min | AddOp::Max => {
            let a = register(asm, a, zmm::T0);
            compare(asm, a, b);
        }
        AddOp::Shr | AddOp::Asr | AddOp::Shl => shifted_out(asm, operation, to, [a, b]),
        _ => asm.kclear(to),
    }
}

/// The last bit pushed out is bit count-1 (right) or bit 32-count (left); a count of 0 pushes none out.
fn shifted_out(asm: &mut Asm, operation: AddOp, to: u8, [a, b]: [Rm; 2]) {
    let [a, b] = [register(asm, a, zmm::T0), register(asm, b, zmm::T1)];
    if operation == AddOp::Shl {
        asm.vector(op::VPSUBD, zmm::T2, zmm::ZERO, Rm::Reg(b), ALL);
    } else {
        asm.vector(op::VPADDD, zmm::T2, b, word(constant::ONES), ALL);
    }
    asm.vector(op::VPRORVD, zmm::T2, a, Rm::Reg(zmm::T2), ALL);
    asm.vector(op::VPTESTMD, mask::T, zmm::T2, word(constant::ONE), ALL);
    asm.vector(op::VPTESTMD, to, b, word(constant::C31), keep(mask::T));
}

/// Marks in the mask `to` the lanes, of those in `lanes`, in which a float result is a zero or of a magnitude above
/// 0x7f000000: less 0x7f000001, these and no others have 0 in bits 24 to 30.
pub fn odd(asm: &mut Asm, to: u8, result: u8, lanes: Masked) {
    asm.vector(op::VPADDD, zmm::T0, result, Rm::Reg(zmm::ODD), ALL);
    asm.vector(op::VPTESTNMD, to, zmm::T0, Rm::Reg(zmm::ODD_BITS), lanes);
}

/// Makes -0 of a float result +0, and marks in the mask `to` the lanes, of those in `lanes`, that the engine must compute.
pub fn settle(asm: &mut Asm, to: u8, result: u8, lanes: Masked) {
    asm.vector(op::VADDPS, result, result, Rm::Reg(zmm::ZERO), ALL);
    asm.vector(op::VPADDD, zmm::T0, result, Rm::Reg(result), ALL);
    asm.vector_imm(op::VPCMPUD, to, zmm::T0, word(constant::HUGE), lanes, 5);
}
