//! Exponentials and logarithms by range reduction and polynomials, independent of the special function unit.
//!
//! Accuracy in truncating arithmetic over the normal range: `exp2`, `exp`, `log2`, `log` within 2^-21 relative; `pow` within
//! 2^-21 + |b·log2 a|·2^-22 relative; `sinh`, `cosh`, `tanh` within 2^-20 relative. The polynomials interpolate at
//! Chebyshev nodes; their own error is below 2^-26.

use super::{Emit, divide};
use quadra_kir::{Op, Value};

/// (2^f - 1) / f on [-1/2, 1/2].
const EXP2: [f32; 7] = [
    std::f32::consts::LN_2,
    0.240_226_5,
    0.055_504_11,
    0.009_618_057,
    0.001_333_350_2,
    0.000_154_614_45,
    0.000_015_297_324,
];

/// log2(1 + t) / t on [sqrt(1/2) - 1, sqrt(2) - 1].
const LOG2: [f32; 10] = [
    std::f32::consts::LOG2_E,
    -0.721_347_35,
    0.480_898_52,
    -0.360_696_54,
    0.288_552_56,
    -0.239_608_12,
    0.204_857_65,
    -0.191_388_38,
    0.184_760_33,
    -0.107_497_89,
];

/// 2^n · 2^f for f in about [-1/2, 1/2]; n must keep the result normal.
fn scaled(e: &mut Emit<'_>, n: Value, f: Value) -> Value {
    let p = e.poly(f, &EXP2);
    let one = e.float(1.0);
    let p = e.mul_add(f, p, one);
    let bits = e.op(Op::BitsI32, &[p]);
    let places = e.int(23);
    let exponent = e.op(Op::Shl, &[n, places]);
    let bits = e.add(bits, exponent);
    e.op(Op::BitsF32, &[bits])
}

/// The whole number next to t in [-128, 128]. Adding 128.5 makes the sum positive, so that truncation rounds down.
fn nearest(e: &mut Emit<'_>, t: Value) -> Value {
    let offset = e.float(128.5);
    let sum = e.add(t, offset);
    let n = e.op(Op::ToI32, &[sum]);
    let back = e.int(-128);
    e.add(n, back)
}

fn clamp(e: &mut Emit<'_>, x: Value, low: f32, high: f32) -> Value {
    let (low, high) = (e.float(low), e.float(high));
    let x = e.op(Op::Max, &[x, low]);
    e.op(Op::Min, &[x, high])
}

/// `value`, but 0 where x is below `low` and infinity where it is `high` or more.
fn limits(e: &mut Emit<'_>, x: Value, value: Value, low: f32, high: f32) -> Value {
    let (zero, infinity) = (e.float(0.0), e.float(f32::INFINITY));
    let (low, high) = (e.float(low), e.float(high));
    let under = e.op(Op::CmpLt, &[x, low]);
    let value = e.select(under, zero, value);
    let over = e.op(Op::CmpGe, &[x, high]);
    e.select(over, infinity, value)
}

pub(super) fn exp2(e: &mut Emit<'_>, x: Value) -> Value {
    let c = clamp(e, x, -126.0, 127.999_99);
    let n = nearest(e, c);
    let whole = e.op(Op::ToF32, &[n]);
    let f = e.sub(c, whole);
    let value = scaled(e, n, f);
    limits(e, x, value, -126.0, 128.0)
}

/// e^x = 2^n · e^r with r = x - n·ln 2. ln 2 comes in three parts, of which n times the first two is exact.
pub(super) fn exp(e: &mut Emit<'_>, x: Value) -> Value {
    const LOW: f32 = -87.336_54;
    const HIGH: f32 = 88.722_83;
    let c = clamp(e, x, LOW, HIGH);
    let log2_e = e.float(std::f32::consts::LOG2_E);
    let t = e.mul(c, log2_e);
    let n = nearest(e, t);
    let whole = e.op(Op::ToF32, &[n]);
    let mut r = c;
    for part in [0.692_871_1_f32, 0.000_275_850_3, 0.000_000_236_513_91] {
        let part = e.float(part);
        let p = e.mul(whole, part);
        r = e.sub(r, p);
    }
    let f = e.mul(r, log2_e);
    let value = scaled(e, n, f);
    limits(e, x, value, LOW, HIGH)
}

/// With x = 2^k · m, m in [sqrt(1/2), sqrt(2)): k + log2(m). -infinity for 0 and negatives, infinity for infinity.
pub(super) fn log2(e: &mut Emit<'_>, x: Value) -> Value {
    let bits = e.op(Op::BitsI32, &[x]);
    let root_half = e.int(0x3f35_04f3);
    let places = e.int(23);
    let above = e.sub(bits, root_half);
    let k = e.op(Op::Asr, &[above, places]);
    let exponent = e.op(Op::Shl, &[k, places]);
    let m = e.sub(bits, exponent);
    let m = e.op(Op::BitsF32, &[m]);
    let one = e.float(1.0);
    let t = e.sub(m, one);
    let p = e.poly(t, &LOG2);
    let whole = e.op(Op::ToF32, &[k]);
    let value = e.mul_add(t, p, whole);
    let (tiny, infinity, minus) = (e.float(f32::MIN_POSITIVE), e.float(f32::INFINITY), e.float(f32::NEG_INFINITY));
    let under = e.op(Op::CmpLt, &[x, tiny]);
    let value = e.select(under, minus, value);
    let over = e.op(Op::CmpGe, &[x, infinity]);
    e.select(over, infinity, value)
}

pub(super) fn ln(e: &mut Emit<'_>, x: Value) -> Value {
    let l = log2(e, x);
    let ln_2 = e.float(std::f32::consts::LN_2);
    e.mul(l, ln_2)
}

/// 2^(b·log2|a|), negative where a is negative and b an odd whole number. (A negative a with a broken b has no real
/// power; it gives |a|^b.)
pub(super) fn pow(e: &mut Emit<'_>, a: Value, b: Value) -> Value {
    let size = e.abs(a);
    let l = log2(e, size);
    let t = e.mul(b, l);
    let power = exp2(e, t);
    let n = e.op(Op::ToI32, &[b]);
    let back = e.op(Op::ToF32, &[n]);
    let whole = e.op(Op::CmpEq, &[back, b]);
    let one = e.int(1);
    let low = e.op(Op::And, &[n, one]);
    let odd = e.op(Op::CmpEq, &[low, one]);
    let zero = e.float(0.0);
    let negative = e.op(Op::CmpLt, &[a, zero]);
    let flip = e.op(Op::And, &[whole, odd]);
    let flip = e.op(Op::And, &[flip, negative]);
    let negated = e.neg(power);
    e.select(flip, negated, power)
}

/// `value` with the sign of x.
pub(super) fn with_sign(e: &mut Emit<'_>, x: Value, value: Value) -> Value {
    let zero = e.float(0.0);
    let negative = e.op(Op::CmpLt, &[x, zero]);
    let negated = e.neg(value);
    e.select(negative, negated, value)
}

/// x + x·z·P(z) with z = x²: an odd function whose slope at 0 is 1.
pub(super) fn odd_series(e: &mut Emit<'_>, x: Value, coefficients: &[f32]) -> Value {
    let z = e.mul(x, x);
    let p = e.poly(z, coefficients);
    let xz = e.mul(x, z);
    e.mul_add(xz, p, x)
}

pub(super) fn sinh(e: &mut Emit<'_>, x: Value) -> Value {
    let (one, half) = (e.float(1.0), e.float(0.5));
    let size = e.abs(x);
    let grow = exp(e, size);
    let shrink = divide::recip(e, grow);
    let difference = e.sub(grow, shrink);
    let large = e.mul(difference, half);
    let large = with_sign(e, x, large);
    let series = odd_series(e, x, &[0.166_666_67, 0.008_333_353, 0.000_198_357_14, 0.000_002_819_018_8]);
    let small = e.op(Op::CmpLt, &[size, one]);
    e.select(small, series, large)
}

pub(super) fn cosh(e: &mut Emit<'_>, x: Value) -> Value {
    let half = e.float(0.5);
    let size = e.abs(x);
    let grow = exp(e, size);
    let shrink = divide::recip(e, grow);
    let sum = e.add(grow, shrink);
    e.mul(sum, half)
}

/// 1 - 2/(e^2x + 1), a series near 0, and 1 from 9 on, where the difference is below 2^-24.
pub(super) fn tanh(e: &mut Emit<'_>, x: Value) -> Value {
    let (one, two, limit) = (e.float(1.0), e.float(2.0), e.float(9.0));
    let size = e.abs(x);
    let capped = e.op(Op::Min, &[size, limit]);
    let double = e.add(capped, capped);
    let grow = exp(e, double);
    let sum = e.add(grow, one);
    let inverse = divide::recip(e, sum);
    let rest = e.mul(two, inverse);
    let large = e.sub(one, rest);
    let large = with_sign(e, x, large);
    let series = odd_series(e, x, &[-0.333_332_6, 0.133_311_14, -0.053_720_11, 0.020_588_191, -0.005_657_135]);
    let near = e.float(0.625);
    let small = e.op(Op::CmpLt, &[size, near]);
    e.select(small, series, large)
}
