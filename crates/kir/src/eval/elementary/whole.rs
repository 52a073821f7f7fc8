//! Functions whose results are exact.

use super::{Real, Truth};

/// The nearest whole number, halves away from zero.
#[inline(always)]
pub fn round<R: Real>(x: R) -> R {
    let whole = x.trunc();
    let stays = (x - whole).abs().less(x.lit(0.5));
    R::pick(stays, whole, whole + x.lit(1.0).signed(x))
}

/// What is left of a behind the largest multiple of b, of `f32`, with a's sign. The quotient is right in double precision up to its
/// fraction, unless it is very large; so are its multiples. Others are the host's.
#[inline(always)]
pub fn remainder<R: Real>(a: R, b: R) -> R {
    let (x, y) = (a.abs(), b.abs());
    let (wide_x, wide_y) = (x.wide(), y.wide());
    let quotient = (wide_x / wide_y).trunc();
    let rest = a.narrow(wide_x - quotient * wide_y);
    let value = R::pick(x.less(y), x, rest).signed(a);
    let large = quotient.less(quotient.lit(268_435_456.0)).not() & quotient.less(quotient.lit(f64::INFINITY));
    a.far(b, large, libm::fmod, value)
}

/// As [`remainder`], with b's sign.
#[inline(always)]
pub fn floor_remainder<R: Real>(a: R, b: R) -> R {
    let rest = remainder(a, b);
    let zero = a.lit(0.0);
    let differ = (rest.less(zero) & zero.less(b)) | (zero.less(rest) & b.less(zero));
    R::pick(differ, rest + b, rest)
}
