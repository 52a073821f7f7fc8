//! Reciprocal, quotient and roots within one unit in the last place.
//!
//! All of them work alike: an approximation is cut to 12 bits, so that its products with 12-bit halves of the operand are
//! exact; the residual then comes out exact to about 2^-33, and one correction gives the result before its last rounding to
//! about 2^-30. A small bias upward in magnitude makes up for that last rounding being a truncation: the result lies
//! between the true value less one unit and the true value plus a small part of a unit.
//!
//! Range: operands and results of magnitude 2^-100 to 2^100; outside, halves and corrections may fall below the smallest
//! normal number and the error grows. Zero and infinity give the limits: 1/0 = ±inf, x/inf = 0, 0/0 = 0, sqrt(inf) = inf.

use super::Emit;
use quadra_kir::{Op, Value};

/// Keeps sign, exponent and 11 bits of the fraction: 12 significant bits.
pub(super) const HIGH: u32 = 0xffff_f000;

/// The upper 12 bits of a float and the rest, both exact.
pub(super) fn split(e: &mut Emit<'_>, x: Value) -> (Value, Value) {
    let high = e.and_bits(x, HIGH);
    let low = e.sub(x, high);
    (high, low)
}

/// 1 / x. With y cut to 12 bits, r = 1 - x·y is exact to 2^-33 and below 2^-9; 1/x = y·(1 + r + r² + r³ + …).
pub(super) fn recip(e: &mut Emit<'_>, x: Value) -> Value {
    let seed = e.op(Op::RecipApprox, &[x]);
    let y = e.and_bits(seed, HIGH);
    let (xh, xl) = split(e, x);
    let one = e.float(1.0);
    let p = e.mul(xh, y);
    let r = e.sub(one, p);
    let p = e.mul(xl, y);
    let r = e.sub(r, p);
    let square = e.mul(r, r);
    let t = e.add(one, r);
    let tail = e.mul(square, t);
    let bias = e.float(f32::from_bits(0x3000_0000)); // 2^-31
    let tail = e.add(tail, bias);
    let sum = e.add(r, tail);
    e.mul_add(y, sum, y)
}

/// a / b. With q cut to 12 bits, r = a - q·b is exact to 2^-34 of a; a/b = q + r/b.
pub(super) fn div(e: &mut Emit<'_>, a: Value, b: Value) -> Value {
    let one = e.float(1.0);
    let seed = e.op(Op::RecipApprox, &[b]);
    let p = e.mul(b, seed);
    let r = e.sub(one, p);
    let y = e.mul_add(seed, r, seed);
    let q = e.mul(a, y);
    let q = e.and_bits(q, HIGH);
    let (bh, bl) = split(e, b);
    let p = e.mul(bh, q);
    let r = e.sub(a, p);
    let p = e.mul(bl, q);
    let r = e.sub(r, p);
    let c = e.mul(r, y);
    let bias = e.float(f32::from_bits(0x3100_0000)); // 2^-29
    let c = e.mul_add(q, bias, c);
    e.add(q, c)
}

/// The square root; 0 for a negative. With s cut to 12 bits, r = x - s² is exact, and sqrt(x) - s = c + c²/(2s) + … with
/// c = r/(2s).
pub(super) fn sqrt(e: &mut Emit<'_>, x: Value) -> Value {
    let (zero, half) = (e.float(0.0), e.float(0.5));
    let x = e.op(Op::Max, &[x, zero]);
    let seed = e.op(Op::RsqrtApprox, &[x]);
    // One step of Newton's method brings 1/(2 sqrt(x)) to a relative error of 2^-19.
    let hx = e.mul(x, half);
    let p = e.mul(hx, seed);
    let p = e.mul(p, seed);
    let r = e.sub(half, p);
    let y = e.mul_add(seed, r, seed);
    let s = e.mul(x, y);
    let s = e.and_bits(s, HIGH);
    let p = e.mul(s, s);
    let r = e.sub(x, p);
    let hy = e.mul(y, half);
    let c = e.mul(r, hy);
    let square = e.mul(c, c);
    let c = e.mul_add(square, hy, c);
    let bias = e.float(f32::from_bits(0x3100_0000)); // 2^-29
    let c = e.mul_add(s, bias, c);
    let root = e.add(s, c);
    let infinity = e.float(f32::INFINITY);
    let finite = e.op(Op::CmpLt, &[x, infinity]);
    e.select(finite, root, x)
}

/// 1 / sqrt(x). With y cut to 12 bits, w = y² is exact; r = 1 - x·w is summed from exact products of halves, and
/// 1/sqrt(x) = y·(1 + r/2 + 3r²/8 + 5r³/16 + …).
pub(super) fn rsqrt(e: &mut Emit<'_>, x: Value) -> Value {
    let one = e.float(1.0);
    let seed = e.op(Op::RsqrtApprox, &[x]);
    let y = e.and_bits(seed, HIGH);
    let w = e.mul(y, y);
    let (xh, xl) = split(e, x);
    let (wh, wl) = split(e, w);
    let p = e.mul(xh, wh);
    let mut r = e.sub(one, p);
    for (u, v) in [(xh, wl), (xl, wh), (xl, wl)] {
        let p = e.mul(u, v);
        r = e.sub(r, p);
    }
    let series = e.poly(r, &[0.375, 0.3125]);
    let square = e.mul(r, r);
    let tail = e.mul(square, series);
    let bias = e.float(f32::from_bits(0x3000_0000)); // 2^-31
    let tail = e.add(tail, bias);
    let half = e.float(0.5);
    let c = e.mul_add(r, half, tail);
    e.mul_add(y, c, y)
}
