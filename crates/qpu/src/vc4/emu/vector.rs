//! The operations of both ALUs on 16 lanes at once: what an engine's vector type has to offer, the portable type, and the
//! dispatch over the operations.

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

/// The portable vector: plain arrays, which the compiler turns into whatever vector instructions the target has.
#[derive(Clone, Copy)]
pub struct Portable([u32; LANES]);

impl Portable {
    #[inline(always)]
    fn map(self, f: impl Fn(u32) -> u32) -> Portable {
        Portable(std::array::from_fn(|i| f(self.0[i])))
    }

    #[inline(always)]
    fn zip(self, b: Portable, f: impl Fn(u32, u32) -> u32) -> Portable {
        Portable(std::array::from_fn(|i| f(self.0[i], b.0[i])))
    }

    #[inline(always)]
    fn lanes(self, f: impl Fn(u32) -> bool) -> u16 {
        self.0.iter().enumerate().fold(0, |mask, (i, a)| mask | u16::from(f(*a)) << i)
    }

    /// Whether a lane holds an infinity or NaN, which the fast float forms leave to [`alu`].
    #[inline(always)]
    fn any_special(self) -> bool {
        self.0.iter().fold(false, |any, a| any | (a & 0x7f80_0000 == 0x7f80_0000))
    }
}

/// The float of the f64 `value`, which is exact but for `error`, truncated: infinite from 2^128, +0 below 2^-126.
#[inline(always)]
fn cut(value: f64, error: f64) -> u32 {
    // If rounding moved away from zero, the next number toward zero truncates like the exact value.
    let bits = value.to_bits();
    let moved_away = (error != 0.0) & ((error.to_bits() ^ bits) >> 63 == 1);
    let cut = f64::from_bits((bits - u64::from(moved_away)) & !0x1fff_ffff);
    let float = (cut as f32).to_bits();
    if cut.abs() < f64::from(f32::MIN_POSITIVE) { 0 } else { float }
}

#[inline(always)]
fn widen(a: u32) -> f64 {
    f64::from(f32::from_bits(if a & 0x7f80_0000 == 0 { 0 } else { a }))
}

#[inline(always)]
fn fast_fadd(a: u32, b: u32) -> u32 {
    // The rounding error of an f64 sum is itself an f64 (Knuth's two-sum).
    let (x, y) = (widen(a), widen(b));
    let sum = x + y;
    let part = sum - x;
    cut(sum, (x - (sum - part)) + (y - part))
}

#[inline(always)]
fn fast_fmul(a: u32, b: u32) -> u32 {
    // 24 by 24 bits fit into an f64.
    cut(widen(a) * widen(b), 0.0)
}

#[inline(always)]
fn per_byte(a: u32, b: u32, f: impl Fn(u32, u32) -> u32) -> u32 {
    let byte = |n: u32| f(a >> n & 255, b >> n & 255) << n;
    byte(0) | byte(8) | byte(16) | byte(24)
}

impl Vector for Portable {
    #[inline(always)]
    fn load(from: &Lanes) -> Self {
        Portable(from.0)
    }
    #[inline(always)]
    fn store(self, to: &mut Lanes) {
        to.0 = self.0;
    }
    #[inline(always)]
    fn store_lanes(self, mask: u16, to: &mut Lanes) {
        if mask == !0 {
            to.0 = self.0;
            return;
        }
        for i in 0..LANES {
            let keep = u32::from(mask >> i & 1).wrapping_sub(1);
            to.0[i] = to.0[i] & keep | self.0[i] & !keep;
        }
    }
    #[inline(always)]
    fn splat(value: u32) -> Self {
        Portable([value; LANES])
    }
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        self.zip(b, u32::wrapping_add)
    }
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        self.zip(b, u32::wrapping_sub)
    }
    #[inline(always)]
    fn and(self, b: Self) -> Self {
        self.zip(b, |a, b| a & b)
    }
    #[inline(always)]
    fn or(self, b: Self) -> Self {
        self.zip(b, |a, b| a | b)
    }
    #[inline(always)]
    fn xor(self, b: Self) -> Self {
        self.zip(b, |a, b| a ^ b)
    }
    #[inline(always)]
    fn shl(self, b: Self) -> Self {
        self.zip(b, |a, b| a << (b & 31))
    }
    #[inline(always)]
    fn shr(self, b: Self) -> Self {
        self.zip(b, |a, b| a >> (b & 31))
    }
    #[inline(always)]
    fn asr(self, b: Self) -> Self {
        self.zip(b, |a, b| (a as i32 >> (b & 31)) as u32)
    }
    #[inline(always)]
    fn ror(self, b: Self) -> Self {
        self.zip(b, |a, b| a.rotate_right(b & 31))
    }
    #[inline(always)]
    fn min(self, b: Self) -> Self {
        self.zip(b, |a, b| (a as i32).min(b as i32) as u32)
    }
    #[inline(always)]
    fn max(self, b: Self) -> Self {
        self.zip(b, |a, b| (a as i32).max(b as i32) as u32)
    }
    #[inline(always)]
    fn clz(self) -> Self {
        self.map(u32::leading_zeros)
    }
    #[inline(always)]
    fn mul24(self, b: Self) -> Self {
        self.zip(b, |a, b| (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff))
    }
    #[inline(always)]
    fn fadd(self, b: Self) -> Self {
        if self.any_special() | b.any_special() {
            return self.zip(b, alu::fadd);
        }
        self.zip(b, fast_fadd)
    }
    #[inline(always)]
    fn fmul(self, b: Self) -> Self {
        if self.any_special() | b.any_special() {
            return self.zip(b, alu::fmul);
        }
        self.zip(b, fast_fmul)
    }
    #[inline(always)]
    fn ftoi(self) -> Self {
        self.map(alu::ftoi)
    }
    #[inline(always)]
    fn itof(self) -> Self {
        self.map(|a| cut(f64::from(a as i32), 0.0))
    }
    #[inline(always)]
    fn float_key(self) -> Self {
        self.map(|a| {
            let sign = (a as i32 >> 31) as u32;
            ((a & 0x7fff_ffff) ^ sign).wrapping_sub(sign)
        })
    }
    #[inline(always)]
    fn select(self, mask: u16, b: Self) -> Self {
        Portable(std::array::from_fn(|i| if mask >> i & 1 == 1 { self.0[i] } else { b.0[i] }))
    }
    #[inline(always)]
    fn zero_lanes(self) -> u16 {
        self.lanes(|a| a == 0)
    }
    #[inline(always)]
    fn greater_lanes(self, b: Self) -> u16 {
        (0..LANES).fold(0, |mask, i| mask | u16::from(self.0[i] as i32 > b.0[i] as i32) << i)
    }
    #[inline(always)]
    fn below_lanes(self, b: Self) -> u16 {
        (0..LANES).fold(0, |mask, i| mask | u16::from(self.0[i] < b.0[i]) << i)
    }
    #[inline(always)]
    fn v8adds(self, b: Self) -> Self {
        self.zip(b, |a, b| per_byte(a, b, |x, y| (x + y).min(255)))
    }
    #[inline(always)]
    fn v8subs(self, b: Self) -> Self {
        self.zip(b, |a, b| per_byte(a, b, u32::saturating_sub))
    }
    #[inline(always)]
    fn v8min(self, b: Self) -> Self {
        self.zip(b, |a, b| per_byte(a, b, u32::min))
    }
    #[inline(always)]
    fn v8max(self, b: Self) -> Self {
        self.zip(b, |a, b| per_byte(a, b, u32::max))
    }
    #[inline(always)]
    fn v8muld(self, b: Self) -> Self {
        self.zip(b, |a, b| {
            per_byte(a, b, |x, y| {
                let n = x * y + 127;
                (n + 1 + (n >> 8)) >> 8
            })
        })
    }
}
