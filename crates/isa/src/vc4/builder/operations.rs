//! The operations as methods, both to begin an instruction and to join one.

use super::super::line::{Op, OpName, Unit};
use super::super::op::{AddOp, Cond, MulOp, Signal};
use super::registers::{Operand, R};
use super::{Asm, Slot, nop};
use std::panic::Location;

impl Asm {
    fn binary(&mut self, op: OpName, dst: R, a: Operand, b: Operand, at: &'static Location<'static>) -> Op {
        let (dst, a, b) = (self.destination(dst, at), self.source(a, at), self.source(b, at));
        Op::Alu { op, dst, a, b: Some(b), cond: Cond::Always, setf: false }
    }

    fn unary(&mut self, op: OpName, dst: R, a: Operand, at: &'static Location<'static>) -> Op {
        let (dst, a) = (self.destination(dst, at), self.source(a, at));
        Op::Alu { op, dst, a, b: None, cond: Cond::Always, setf: false }
    }

    fn move_op(&mut self, dst: R, src: Operand, at: &'static Location<'static>) -> Op {
        let (dst, src) = (self.destination(dst, at), self.source(src, at));
        Op::Mov { dsts: [Some(dst), None], src, cond: Cond::Always, setf: false }
    }
}

macro_rules! binary {
    ($($name:ident = $op:expr, $doc:literal;)*) => {
        impl Asm {
            $(#[doc = $doc]
            #[track_caller]
            pub fn $name(&mut self, dst: R, a: impl Into<Operand>, b: impl Into<Operand>) -> Slot<'_> {
                let op = self.binary($op, dst, a.into(), b.into(), Location::caller());
                self.begin(op, Location::caller())
            })*
        }

        impl<'a> Slot<'a> {
            $(#[doc = $doc]
            #[track_caller]
            pub fn $name(self, dst: R, a: impl Into<Operand>, b: impl Into<Operand>) -> Slot<'a> {
                let op = self.asm.binary($op, dst, a.into(), b.into(), Location::caller());
                self.join(op)
            })*
        }
    };
}

macro_rules! unary {
    ($($name:ident = $op:expr, $doc:literal;)*) => {
        impl Asm {
            $(#[doc = $doc]
            #[track_caller]
            pub fn $name(&mut self, dst: R, a: impl Into<Operand>) -> Slot<'_> {
                let op = self.unary($op, dst, a.into(), Location::caller());
                self.begin(op, Location::caller())
            })*
        }

        impl<'a> Slot<'a> {
            $(#[doc = $doc]
            #[track_caller]
            pub fn $name(self, dst: R, a: impl Into<Operand>) -> Slot<'a> {
                let op = self.asm.unary($op, dst, a.into(), Location::caller());
                self.join(op)
            })*
        }
    };
}

macro_rules! plain {
    ($($name:ident = $op:expr, $doc:literal;)*) => {
        impl Asm {
            $(#[doc = $doc]
            #[track_caller]
            pub fn $name(&mut self) -> Slot<'_> {
                self.begin($op, Location::caller())
            })*
        }

        impl<'a> Slot<'a> {
            $(#[doc = $doc]
            pub fn $name(self) -> Slot<'a> {
                self.join($op)
            })*
        }
    };
}

binary! {
    fadd = OpName::Add(AddOp::Fadd), "Float sum, rounded toward zero.";
    fsub = OpName::Add(AddOp::Fsub), "Float difference, rounded toward zero.";
    fmin = OpName::Add(AddOp::Fmin), "The smaller float.";
    fmax = OpName::Add(AddOp::Fmax), "The larger float.";
    fminabs = OpName::Add(AddOp::Fminabs), "The smaller absolute value of two floats.";
    fmaxabs = OpName::Add(AddOp::Fmaxabs), "The larger absolute value of two floats.";
    add = OpName::Add(AddOp::Add), "Integer sum.";
    sub = OpName::Add(AddOp::Sub), "Integer difference.";
    shr = OpName::Add(AddOp::Shr), "Logical shift right by b mod 32.";
    asr = OpName::Add(AddOp::Asr), "Arithmetic shift right by b mod 32.";
    ror = OpName::Add(AddOp::Ror), "Rotation of the bits to the right by b mod 32.";
    shl = OpName::Add(AddOp::Shl), "Shift left by b mod 32.";
    min = OpName::Add(AddOp::Min), "The smaller signed integer.";
    max = OpName::Add(AddOp::Max), "The larger signed integer.";
    and = OpName::Add(AddOp::And), "Bitwise and.";
    or = OpName::Add(AddOp::Or), "Bitwise or.";
    xor = OpName::Add(AddOp::Xor), "Bitwise exclusive or.";
    v8adds = OpName::Either(AddOp::V8adds, MulOp::V8adds), "Four byte sums, saturated.";
    v8subs = OpName::Either(AddOp::V8subs, MulOp::V8subs), "Four byte differences, saturated.";
    fmul = OpName::Mul(MulOp::Fmul), "Float product, rounded toward zero.";
    mul24 = OpName::Mul(MulOp::Mul24), "Low 32 bits of the product of the low 24 bits.";
    v8muld = OpName::Mul(MulOp::V8muld), "Four byte products divided by 255.";
    v8min = OpName::Mul(MulOp::V8min), "Four byte minima.";
    v8max = OpName::Mul(MulOp::V8max), "Four byte maxima.";
}

unary! {
    ftoi = OpName::Add(AddOp::Ftoi), "Float to integer, truncated.";
    itof = OpName::Add(AddOp::Itof), "Integer to float, rounded toward zero.";
    not = OpName::Add(AddOp::Not), "Bitwise complement.";
    clz = OpName::Add(AddOp::Clz), "Number of leading zero bits.";
}

plain! {
    nop = nop(Unit::Any), "No operation; before a second one it keeps the add ALU free.";
    ldtmu0 = Op::Signal(Signal::LoadTmu0), "Signal: the next result of TMU0 into r4.";
    ldtmu1 = Op::Signal(Signal::LoadTmu1), "Signal: the next result of TMU1 into r4.";
    thrend = Op::Signal(Signal::ProgramEnd), "Signal: the program ends after two more instructions.";
    bkpt = Op::Signal(Signal::Breakpoint), "Signal: software breakpoint.";
}

impl Asm {
    /// Copies a register or loads a constant; alone a constant becomes a load immediate.
    #[track_caller]
    pub fn mov(&mut self, dst: R, src: impl Into<Operand>) -> Slot<'_> {
        let op = self.move_op(dst, src.into(), Location::caller());
        self.begin(op, Location::caller())
    }

    /// Reads a register without using its value: waits, discards a uniform.
    #[track_caller]
    pub fn read(&mut self, src: impl Into<Operand>) -> Slot<'_> {
        let src = self.source(src.into(), Location::caller());
        self.begin(Op::Read(src), Location::caller())
    }
}

impl<'a> Slot<'a> {
    /// Copies a register or a small constant.
    #[track_caller]
    pub fn mov(self, dst: R, src: impl Into<Operand>) -> Slot<'a> {
        let op = self.asm.move_op(dst, src.into(), Location::caller());
        self.join(op)
    }

    /// Reads a register without using its value.
    #[track_caller]
    pub fn read(self, src: impl Into<Operand>) -> Slot<'a> {
        let src = self.asm.source(src.into(), Location::caller());
        self.join(Op::Read(src))
    }
}
