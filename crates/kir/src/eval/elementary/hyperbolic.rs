//! Hyperbolic functions, and powers of e and 2 in double precision, by the exponential less 1 of what is left of a multiple of ln 2.

use super::{Real, Word, nearest, power_of_two};

/// (2^x - 1) / x in double precision, |x| up to 1/2.
const EXP2: [f64; 12] = [
    std::f64::consts::LN_2,
    0.240_226_506_959_100_72,
    0.055_504_108_664_821_7,
    0.009_618_129_107_628_496,
    0.001_333_355_814_638_986,
    0.000_154_035_303_933_407_89,
    1.525_273_385_682_787_4e-5,
    1.321_548_683_334_131e-6,
    1.017_805_094_752_303_9e-7,
    7.054_888_137_024_673e-9,
    4.456_715_442_554_413_7e-10,
    2.574_197_422_655_583e-11,
];

/// e^x as 2^n · (1 + rest), for |x| up to some hundreds: n and `rest`.
#[inline(always)]
fn exponential<R: Real>(x: R) -> (R::Word, R) {
    let f = x.format();
    let (n, word) = nearest(x * x.lit(std::f64::consts::LOG2_E));
    let n_word = word - x.lit(f.magic).word();
    let (high, low) = (n.fused(x.lit(-f.ln_2.0), x), n * x.lit(f.ln_2.1));
    let r = high - low;
    let tail = (r * r).fused(r.polynomial(f.exp), x.lit(0.0) - low);
    (n_word, high + tail)
}

/// `x` times 2 to the n, which may be up to twice the largest exponent: in two steps, so that subnormal numbers are rounded once.
#[inline(always)]
pub(super) fn scaled<R: Real>(x: R, n: R::Word) -> R {
    let bias = x.format().bias;
    let half = (n + n.lit(2 * bias)).right(1) - n.lit(bias);
    x * power_of_two(x, half) * power_of_two(x, n - half)
}

/// `x`, but within `most` of zero; what is no number stays.
#[inline(always)]
fn within<R: Real>(x: R, most: f64) -> R {
    let x = R::pick(x.lit(most).less(x), x.lit(most), x);
    R::pick(x.less(x.lit(-most)), x.lit(-most), x)
}

/// e to the `x`, of `f64`.
#[inline(always)]
pub fn exp<R: Real>(x: R) -> R {
    let (n, rest) = exponential(within(x, 760.0));
    scaled(x.lit(1.0) + rest, n)
}

/// 2 to the `x`, of `f64`.
#[inline(always)]
pub fn exp2<R: Real>(x: R) -> R {
    let x = within(x, 1100.0);
    let (n, word) = nearest(x);
    let rest = x - n;
    scaled(x.lit(1.0) + rest * rest.polynomial(&EXP2), word - x.lit(x.format().magic).word())
}

/// e^|x| / 2, infinite where twice as much would be.
#[inline(always)]
fn half_exponential<R: Real>(x: R) -> R {
    let (size, most) = (x.abs(), x.lit(x.format().cosh_most));
    let (n, rest) = exponential(R::pick(most.less(size), most, size));
    scaled(x.lit(1.0) + rest, n - n.lit(1))
}

/// The hyperbolic sine.
#[inline(always)]
pub fn sinh<R: Real>(x: R) -> R {
    let (size, square) = (x.abs(), x * x);
    let half = half_exponential(x);
    let large = half - x.lit(0.25) / half;
    let small = (size * square).fused(square.polynomial(x.format().sinh), size);
    R::pick(size.less(x.lit(1.0)), small, large).signed(x)
}

/// The hyperbolic cosine.
#[inline(always)]
pub fn cosh<R: Real>(x: R) -> R {
    let half = half_exponential(x);
    half + x.lit(0.25) / half
}

/// `whole` - `a` · `b`, nearly 0: exact.
#[inline(always)]
fn remains<R: Real>(whole: R, a: R, b: R) -> R {
    let minus = whole.lit(0.0) - a;
    if !whole.format().double {
        return minus.fused(b, whole);
    }
    let (a_high, b_high) = (minus.half(), b.half());
    let (a_low, b_low) = (minus - a_high, b - b_high);
    ((whole + a_high * b_high) + a_high * b_low + a_low * b_high) + a_low * b_low
}

/// The hyperbolic tangent: t / (t + 2), where t is e^2|x| - 1; for large t, 1 - 2 / (t + 2).
#[inline(always)]
pub fn tanh<R: Real>(x: R) -> R {
    let (size, most) = (x.abs(), x.lit(x.format().tanh_most));
    let size = R::pick(most.less(size), most, size);
    let (n, rest) = exponential(size + size);
    let (one, two, power) = (x.lit(1.0), x.lit(2.0), power_of_two(x, n));
    let t = power * rest + (power - one);
    let sum = t + two;
    let large = x.lit(4.0).less(t);
    let quotient = R::pick(large, two, t) / sum;
    // What the quotient and the sum have lost; half of 1 - quotient is 1 / sum.
    let lost = remains(t, quotient, sum) - quotient * (t - (sum - two));
    let better = quotient + lost * ((one - quotient) * x.lit(0.5));
    R::pick(large, one - quotient, better).signed(x)
}
