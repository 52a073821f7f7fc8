//! Trigonometric functions by range reduction and polynomials.
//!
//! Accuracy in truncating arithmetic: `sin` and `cos` within 2^-21 absolute for |x| up to 12,000 (beyond, the reduction loses
//! bits); `tan` within 2^-19 relative away from its poles; `atan`, `atan2`, `asin`, `acos` within 2^-20 absolute.

use super::exponential::{odd_series, with_sign};
use super::{Emit, divide};
use quadra_kir::{Op, Value};
use std::f32::consts::{FRAC_2_PI, FRAC_PI_2, FRAC_PI_4, PI};

/// (sin(x)/x - 1) / x² on [-pi/4, pi/4], in powers of x².
const SIN: [f32; 3] = [-0.166_666_51, 0.008_332_036, -0.000_195_039_04];
/// (cos(x) - 1) / x² likewise.
const COS: [f32; 4] = [-0.5, 0.041_666_617, -0.001_388_661_8, 0.000_024_379_831];
/// (atan(x)/x - 1) / x² on [-tan(pi/8), tan(pi/8)].
const ATAN: [f32; 5] = [-0.333_333_07, 0.199_981_83, -0.142_395_33, 0.105_698_29, -0.060_263_052];
/// (asin(x)/x - 1) / x² on [-1/2, 1/2].
const ASIN: [f32; 6] = [0.166_666_58, 0.075_005_72, 0.044_508_71, 0.031_857_19, 0.014_295_256, 0.037_677_14];

/// The quadrant k (a whole number) and r = x - k·pi/2 in about [-pi/4, pi/4]. pi/2 comes in parts of 11 bits, so that their
/// products with k are exact for |k| < 2^13.
fn reduce(e: &mut Emit<'_>, x: Value) -> (Value, Value) {
    let scale = e.float(FRAC_2_PI);
    let t = e.mul(x, scale);
    let (zero, up, down) = (e.float(0.0), e.float(0.5), e.float(-0.5));
    let negative = e.op(Op::CmpLt, &[t, zero]);
    let half = e.select(negative, down, up);
    let t = e.add(t, half);
    let k = e.op(Op::ToI32, &[t]);
    let whole = e.op(Op::ToF32, &[k]);
    let mut r = x;
    for part in [0x3fc9_0000_u32, 0x39fd_a000, 0x33a2_2000, 0x2c34_611a] {
        let part = e.float(f32::from_bits(part));
        let p = e.mul(whole, part);
        r = e.sub(r, p);
    }
    (k, r)
}

/// sin(r + k·pi/2).
fn quadrant(e: &mut Emit<'_>, k: Value, r: Value) -> Value {
    let s = odd_series(e, r, &SIN);
    let z = e.mul(r, r);
    let p = e.poly(z, &COS);
    let one = e.float(1.0);
    let c = e.mul_add(z, p, one);
    let (zero, one, two) = (e.int(0), e.int(1), e.int(2));
    let low = e.op(Op::And, &[k, one]);
    let odd = e.op(Op::CmpNe, &[low, zero]);
    let value = e.select(odd, c, s);
    let high = e.op(Op::And, &[k, two]);
    let flip = e.op(Op::CmpNe, &[high, zero]);
    let negated = e.neg(value);
    e.select(flip, negated, value)
}

pub(super) fn sin(e: &mut Emit<'_>, x: Value) -> Value {
    let (k, r) = reduce(e, x);
    quadrant(e, k, r)
}

pub(super) fn cos(e: &mut Emit<'_>, x: Value) -> Value {
    let (k, r) = reduce(e, x);
    let one = e.int(1);
    let k = e.add(k, one);
    quadrant(e, k, r)
}

pub(super) fn tan(e: &mut Emit<'_>, x: Value) -> Value {
    let (k, r) = reduce(e, x);
    let s = quadrant(e, k, r);
    let one = e.int(1);
    let k = e.add(k, one);
    let c = quadrant(e, k, r);
    divide::div(e, s, c)
}

/// Reduced to |y| <= tan(pi/8) by atan(x) = pi/2 + atan(-1/x) and atan(x) = pi/4 + atan((x - 1)/(x + 1)).
pub(super) fn atan(e: &mut Emit<'_>, x: Value) -> Value {
    let size = e.abs(x);
    let (one, minus_one) = (e.float(1.0), e.float(-1.0));
    let (near, far) = (e.float(0.414_213_57), e.float(2.414_213_7));
    let mid = e.op(Op::CmpGt, &[size, near]);
    let big = e.op(Op::CmpGt, &[size, far]);
    let (less, more) = (e.sub(size, one), e.add(size, one));
    let numerator = e.select(mid, less, size);
    let numerator = e.select(big, minus_one, numerator);
    let denominator = e.select(mid, more, one);
    let denominator = e.select(big, size, denominator);
    let (zero, quarter, half) = (e.float(0.0), e.float(FRAC_PI_4), e.float(FRAC_PI_2));
    let offset = e.select(mid, quarter, zero);
    let offset = e.select(big, half, offset);
    let y = divide::div(e, numerator, denominator);
    let a = odd_series(e, y, &ATAN);
    let a = e.add(offset, a);
    with_sign(e, x, a)
}

/// The angle of the point (x, y), from -pi to pi; 0 for the origin.
pub(super) fn atan2(e: &mut Emit<'_>, y: Value, x: Value) -> Value {
    let (ay, ax) = (e.abs(y), e.abs(x));
    let (low, high) = (e.op(Op::Min, &[ax, ay]), e.op(Op::Max, &[ax, ay]));
    let t = divide::div(e, low, high);
    let a = atan(e, t);
    let (zero, half, whole) = (e.float(0.0), e.float(FRAC_PI_2), e.float(PI));
    let steep = e.op(Op::CmpGt, &[ay, ax]);
    let other = e.sub(half, a);
    let a = e.select(steep, other, a);
    let left = e.op(Op::CmpLt, &[x, zero]);
    let other = e.sub(whole, a);
    let a = e.select(left, other, a);
    with_sign(e, y, a)
}

/// asin of |x| up to 1/2 by the series; above, pi/2 - 2 asin(sqrt((1 - |x|)/2)). Gives the series' value, whether |x| was
/// above 1/2, for `asin` and `acos` to finish.
fn half_angle(e: &mut Emit<'_>, x: Value) -> (Value, Value) {
    let size = e.abs(x);
    let (one, half) = (e.float(1.0), e.float(0.5));
    let large = e.op(Op::CmpGt, &[size, half]);
    let rest = e.sub(one, size);
    let rest = e.mul(rest, half);
    let root = divide::sqrt(e, rest);
    let y = e.select(large, root, size);
    (odd_series(e, y, &ASIN), large)
}

pub(super) fn asin(e: &mut Emit<'_>, x: Value) -> Value {
    let (a, large) = half_angle(e, x);
    let half = e.float(FRAC_PI_2);
    let double = e.add(a, a);
    let other = e.sub(half, double);
    let a = e.select(large, other, a);
    with_sign(e, x, a)
}

pub(super) fn acos(e: &mut Emit<'_>, x: Value) -> Value {
    let (a, large) = half_angle(e, x);
    let (half, whole) = (e.float(FRAC_PI_2), e.float(PI));
    let small = with_sign(e, x, a);
    let small = e.sub(half, small);
    let double = e.add(a, a);
    let zero = e.float(0.0);
    let negative = e.op(Op::CmpLt, &[x, zero]);
    let other = e.sub(whole, double);
    let near_end = e.select(negative, other, double);
    e.select(large, near_end, small)
}
