//! Logarithms and powers.

use super::hyperbolic::scaled;
use super::{Real, Truth, Word, nearest, number};

/// The logarithm of what is left of a number without its exponent, as terms to add.
struct Mantissa<R> {
    /// The exponent.
    k: R,
    /// What is left, less 1: within sqrt(1/2) - 1 and sqrt(2) - 1.
    rest: R,
    /// What is to be subtracted from `rest` for its natural logarithm.
    less: R,
}

/// A positive normal number as m · 2^k, m from sqrt(1/2) to sqrt(2): k and m.
#[inline(always)]
fn split<R: Real>(x: R) -> (R, R) {
    let f = x.format();
    let root = x.word().lit(f.root_half);
    let word = x.word() - root;
    // The exponent and the bias stay positive.
    let biased = (word + word.lit(f.bias << f.fraction)).right(f.fraction);
    let k = number(x, biased - biased.lit(f.bias));
    (k, ((word & word.lit((1 << f.fraction) - 1)) + root).real())
}

/// Of a positive number.
#[inline(always)]
fn mantissa<R: Real>(x: R) -> Mantissa<R> {
    let f = x.format();
    // Subnormal numbers have an exponent once they are multiplied.
    let raise = i64::from(f.fraction) + 2;
    let tiny = x.less(x.lit(f.normal));
    let scaled = R::pick(tiny, x * x.lit((1i64 << raise) as f64), x);
    let (k, m) = split(scaled);
    let k = R::pick(tiny, k - x.lit(raise as f64), k);
    let rest = m - x.lit(1.0);
    let s = rest / (rest + x.lit(2.0));
    let (square, half) = (s * s, rest * rest * x.lit(0.5));
    let tail = square.fused(square.polynomial(f.log), half);
    let less = half - s * tail;
    Mantissa { k, rest, less }
}

/// `value`, but for what has no finite logarithm.
#[inline(always)]
fn limits<R: Real>(x: R, value: R) -> R {
    let zero = x.lit(0.0);
    let value = R::pick(x.less(x.lit(f64::INFINITY)), value, x);
    let value = R::pick(x.same(zero), x.lit(f64::NEG_INFINITY), value);
    R::pick(x.less(zero), x.lit(f64::NAN), value)
}

/// The natural logarithm.
#[inline(always)]
pub fn log<R: Real>(x: R) -> R {
    let Mantissa { k, rest, less } = mantissa(x);
    let (high, low) = x.format().ln_2;
    limits(x, k * x.lit(high) - ((less - k * x.lit(low)) - rest))
}

/// The logarithm to base 2: the product of the first half of `rest` and of log2 e is exact.
#[inline(always)]
pub fn log2<R: Real>(x: R) -> R {
    let f = x.format();
    let Mantissa { k, rest, less } = mantissa(x);
    let high = rest.half();
    let low = (rest - high) - less;
    let (log_high, log_low) = (x.lit(f.log2_e.0), x.lit(f.log2_e.1));
    let (first, rounded) = (high * log_high, low * log_high + (low + high) * log_low);
    limits(x, (k + first) + rounded)
}

/// What of log2((1 + s)/(1 - s)) is left of 2·s·log2 e, divided by s³, in powers of s²; 2^-44 of the logarithm.
const LOG2: [f64; 5] = [
    0.961_796_694_057_855_5,
    0.577_077_953_157_199_2,
    0.412_208_405_687_997_9,
    0.319_934_611_896_000_8,
    0.282_542_001_701_092_4,
];
/// 2·log2 e.
const TWICE_LOG2_E: f64 = 2.885_390_081_777_926_8;
/// (2^x - 1) / x, |x| up to 1/2.
const EXP2: [f64; 6] = [
    0.693_147_182_464_599_6,
    0.240_226_507_186_889_65,
    0.055_503_271_520_137_79,
    0.009_618_002_921_342_85,
    0.001_340_053_859_166_801,
    0.000_154_766_472_405_754_03,
];

/// log2 of a positive number or 0 in double precision, which a `f32` is widened to, and so is never subnormal.
#[inline(always)]
fn wide_log2<W: Real>(x: W) -> W {
    let (k, m) = split(x);
    let s = (m - x.lit(1.0)) / (m + x.lit(1.0));
    let square = s * s;
    let value = k + s * (x.lit(TWICE_LOG2_E) + square * square.polynomial(&LOG2));
    let value = W::pick(x.less(x.lit(f64::INFINITY)), value, x);
    W::pick(x.same(x.lit(0.0)), x.lit(f64::NEG_INFINITY), value)
}

/// a to the b: products where b is 2, 3 or 4, which are within 2 units in the last place, `other` elsewhere.
#[inline(always)]
fn or_product<R: Real>(a: R, b: R, other: R) -> R {
    let square = a * a;
    let power = R::pick(b.same(a.lit(2.0)), square, other);
    let power = R::pick(b.same(a.lit(3.0)), square * a, power);
    R::pick(b.same(a.lit(4.0)), square * square, power)
}

/// a to the b, of `f64`: by products, or the crate `libm`.
pub fn pow_of_double(a: f64, b: f64) -> f64 {
    let other = if matches!(b, 2.0 | 3.0 | 4.0) { 0.0 } else { libm::pow(a, b) };
    or_product(a, b, other)
}

/// a to the b, of `f32`, by a logarithm in double precision, or by products.
///
/// Anything to the 0, and 1 to anything, is 1. A negative has whole powers only; they are negative where b is odd.
#[inline(always)]
pub fn pow<R: Real>(a: R, b: R) -> R {
    let f = a.format();
    let (zero, one) = (a.lit(0.0), a.lit(1.0));
    let log = wide_log2(a.abs().wide());
    let product = b.wide() * log;
    // 1 and -1 have a power to infinity.
    let product = R::Wide::pick(log.same(log.lit(0.0)), log.lit(0.0), product);
    let tame = R::Wide::pick(product.less(log.lit(-160.0)), log.lit(-160.0), product);
    let tame = R::Wide::pick(log.lit(136.0).less(tame), log.lit(136.0), tame);
    let (n, _) = nearest(tame);
    let rest = a.narrow(tame - n);
    let magic = a.lit(f.magic);
    let n = (a.narrow(n) + magic).word() - magic.word();
    let size = scaled(one + rest * rest.polynomial(&EXP2), n);
    let whole = b.trunc().same(b);
    let halved = b * b.lit(0.5);
    let odd = whole & halved.trunc().same(halved).not();
    let value = R::pick(odd, size.signed(a), size);
    let none = a.less(zero) & a.lit(f64::NEG_INFINITY).less(a) & whole.not();
    let value = R::pick(none, a.lit(f64::NAN), value);
    or_product(a, b, R::pick(b.same(zero) | a.same(one), one, value))
}
