//! The operations of both ALUs on 16 lanes held in one register: what a vector type has to offer, and the dispatch over the
//! operations.

use super::{LANES, Lanes, alu};
use crate::vc4::{AddOp, MulOp};

/// A vector of 16 lanes. The methods that only move or compare words are exact anywhere; the float methods must give the
/// bits of [`alu`].
pub trait Vector: Copy {
    fn load(from: &Lanes) -> Self;
    fn store(self, to: &mut Lanes);
    /// Stores the lanes of `mask`.
    fn store_lanes(self, mask: u16, to: &mut Lanes);
    fn splat(value: u32) -> Self;
    fn add(self, b: Self) -> Self;
    fn sub(self, b: Self) -> Self;
    fn and(self, b: Self) -> Self;
    fn or(self, b: Self) -> Self;
    fn xor(self, b: Self) -> Self;
    fn shl(self, b: Self) -> Self;
    fn shr(self, b: Self) -> Self;
    fn asr(self, b: Self) -> Self;
    fn ror(self, b: Self) -> Self;
    fn min(self, b: Self) -> Self;
    fn max(self, b: Self) -> Self;
    fn clz(self) -> Self;
    fn mul24(self, b: Self) -> Self;
    fn fadd(self, b: Self) -> Self;
    fn fmul(self, b: Self) -> Self;
    fn ftoi(self) -> Self;
    fn itof(self) -> Self;
    /// Integers that order floats; see [`alu::float_key`].
    fn float_key(self) -> Self;
    /// `self` where `mask` is set, else `b`.
    fn select(self, mask: u16, b: Self) -> Self;
    /// Lanes that are 0.
    fn zero_lanes(self) -> u16;
    /// Lanes where `self > b` as signed integers.
    fn greater_lanes(self, b: Self) -> u16;
    /// Lanes where `self < b` as unsigned integers.
    fn below_lanes(self, b: Self) -> u16;
    fn v8adds(self, b: Self) -> Self;
    fn v8subs(self, b: Self) -> Self;
    fn v8min(self, b: Self) -> Self;
    fn v8max(self, b: Self) -> Self;
    fn v8muld(self, b: Self) -> Self;
}

/// The result of the add ALU.
#[inline(always)]
pub fn add_op<V: Vector>(op: AddOp, a: V, b: V) -> V {
    let sign = || V::splat(0x8000_0000);
    let magnitude = |v: V| v.and(V::splat(0x7fff_ffff));
    match op {
        AddOp::Nop => V::splat(0),
        AddOp::Fadd => a.fadd(b),
        AddOp::Fsub => a.fadd(b.xor(sign())),
        AddOp::Fmin => b.select(a.float_key().greater_lanes(b.float_key()), a),
        AddOp::Fmax => a.select(a.float_key().greater_lanes(b.float_key()), b),
        AddOp::Fminabs => magnitude(a).min(magnitude(b)),
        AddOp::Fmaxabs => magnitude(a).max(magnitude(b)),
        AddOp::Ftoi => a.ftoi(),
        AddOp::Itof => a.itof(),
        AddOp::Add => a.add(b),
        AddOp::Sub => a.sub(b),
        AddOp::Shr => a.shr(b),
        AddOp::Asr => a.asr(b),
        AddOp::Ror => a.ror(b),
        AddOp::Shl => a.shl(b),
        AddOp::Min => a.min(b),
        AddOp::Max => a.max(b),
        AddOp::And => a.and(b),
        AddOp::Or => a.or(b),
        AddOp::Xor => a.xor(b),
        AddOp::Not => a.xor(V::splat(!0)),
        AddOp::Clz => a.clz(),
        AddOp::V8adds => a.v8adds(b),
        AddOp::V8subs => a.v8subs(b),
    }
}

/// The result of the mul ALU.
#[inline(always)]
pub fn mul_op<V: Vector>(op: MulOp, a: V, b: V) -> V {
    match op {
        MulOp::Nop => V::splat(0),
        MulOp::Fmul => a.fmul(b),
        MulOp::Mul24 => a.mul24(b),
        MulOp::V8muld => a.v8muld(b),
        MulOp::V8min => a.v8min(b),
        MulOp::V8max => a.v8max(b),
        MulOp::V8adds => a.v8adds(b),
        MulOp::V8subs => a.v8subs(b),
    }
}

/// Flag C of the add ALU's result `r`.
#[inline(always)]
pub fn add_carry<V: Vector>(op: AddOp, a: V, b: V, r: V) -> u16 {
    let zero = || V::splat(0);
    let magnitude = |v: V| v.and(V::splat(0x7fff_ffff));
    match op {
        AddOp::Fadd | AddOp::Fsub => r.greater_lanes(zero()),
        AddOp::Itof => a.greater_lanes(zero()),
        AddOp::Fmin | AddOp::Fmax => a.float_key().greater_lanes(b.float_key()),
        AddOp::Fminabs | AddOp::Fmaxabs => magnitude(a).greater_lanes(magnitude(b)),
        AddOp::Add => r.below_lanes(a),
        AddOp::Sub => a.below_lanes(b),
        AddOp::Min | AddOp::Max => a.greater_lanes(b),
        // The last bit pushed out is bit count-1 (right) or bit 32-count (left); a count of 0 pushes none out.
        AddOp::Shr | AddOp::Asr => {
            let last = a.ror(b.sub(V::splat(1))).and(V::splat(1));
            !last.zero_lanes() & !b.and(V::splat(31)).zero_lanes()
        }
        AddOp::Shl => {
            let last = a.ror(zero().sub(b)).and(V::splat(1));
            !last.zero_lanes() & !b.and(V::splat(31)).zero_lanes()
        }
        _ => 0,
    }
}

/// Flag C of the mul ALU's result.
#[inline(always)]
pub fn mul_carry<V: Vector>(op: MulOp, a: V, b: V) -> u16 {
    if op != MulOp::Mul24 {
        return 0;
    }
    let (mut x, mut y) = (Lanes::ZERO, Lanes::ZERO);
    a.store(&mut x);
    b.store(&mut y);
    (0..LANES).fold(0, |mask, i| mask | u16::from(alu::mul_op(op, x.0[i], y.0[i]).carry) << i)
}
