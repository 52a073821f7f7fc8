//! Functions whose results are exact.

use super::{Real, Truth, Word};
use crate::eval::real::floor_rem;

/// The nearest whole number, halves away from zero.
#[inline(always)]
pub fn round<R: Real>(x: R) -> R {
    let whole = x.trunc();
    let stays = (x - whole).abs().less(x.lit(0.5));
    R::pick(stays, whole, whole + x.lit(1.0).signed(x))
}

/// What is left of a behind the largest multiple of b, of `f32`, with a's sign.
#[inline(always)]
pub fn remainder<R: Real>(a: R, b: R) -> R {
    let quotient = (a / b).trunc();
    let rest = left(a, quotient, b);
    let back = rest + b.abs().signed(a);
    let value = R::pick((rest.word() ^ a.word()).is_negative() & rest.same(a.lit(0.0)).not(), back, rest);
    a.far(b, beyond(a, quotient, b), libm::fmod, value.abs().signed(a))
}

/// As [`remainder`], with b's sign, which zero has, too.
#[inline(always)]
pub fn floor_remainder<R: Real>(a: R, b: R) -> R {
    let quotient = (a / b).floor();
    let rest = left(a, quotient, b);
    let value = R::pick((rest.word() ^ b.word()).is_negative() & rest.same(a.lit(0.0)).not(), rest + b, rest);
    a.far(b, beyond(a, quotient, b), floor_rem, value.abs().signed(b))
}

/// a less a multiple of b. A quotient below 2^24, rounded, is right up to its fraction or one too large; what is left behind it has no
/// finer bits than b, so that it is exact, or rounded once if its sign is not a's.
#[inline(always)]
fn left<R: Real>(a: R, quotient: R, b: R) -> R {
    (a.lit(0.0) - quotient).fused(b, a)
}

/// Whether a quotient is too large for [`left`], or a divisor infinite. What gives no number anyway is left alone.
#[inline(always)]
fn beyond<R: Real>(a: R, quotient: R, b: R) -> R::Truth {
    let infinite = a.lit(f64::INFINITY);
    let near = quotient.abs().less(a.lit(16_777_216.0)) & b.abs().less(infinite);
    near.not() & b.same(a.lit(0.0)).not() & a.abs().less(infinite)
}
