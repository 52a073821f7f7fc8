//! `exp` and `exp2` of `f32` rounded to nearest, by operations that vectors of a processor have, too: multiplications and
//! additions rounded once. Results are within two units in the last place of the exact ones, those of `exp2` within one.
//!
//! The argument is an integer n and a rest: of `exp2` itself, of `exp` times ln 2, which is subtracted in two parts (as W. J.
//! Cody and W. Waite, Software Manual for the Elementary Functions, 1980, describe it). A polynomial gives the rest's
//! exponential; its coefficients minimise the largest relative error over half an interval around 0.

/// Beyond these arguments results are infinite, and 0.
pub const EXP_LIMITS: (f32, f32) = (-104.0, 89.0);
/// As [`EXP_LIMITS`], of `exp2`.
pub const EXP2_LIMITS: (f32, f32) = (-151.0, 129.0);
/// 1 / ln 2.
pub const LOG2_E: f32 = std::f32::consts::LOG2_E;
/// ln 2, in a part whose product with n is exact, and what is left.
pub const LN_2: (f32, f32) = (0.693_359_4, -2.121_944_4e-4);
/// Factors of the rest's powers from the fifth down to the first.
pub const EXP: [f32; 5] = [0.008_290_145, 0.041_898_85, 0.166_676_45, 0.499_991_42, 0.999_999_7];
/// As [`EXP`] from the sixth down, of `exp2`, whose rest is exact without further operations.
pub const EXP2: [f32; 6] =
    [1.535_336_2e-4, 0.001_339_887_5, 0.009_618_437, 0.055_503_324, 0.240_226_48, std::f32::consts::LN_2];

/// e to the `x`.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    let tame = clamped(x, EXP_LIMITS);
    let n = (tame * LOG2_E).round_ties_even();
    let rest = (-n).mul_add(LN_2.0, tame);
    let rest = (-n).mul_add(LN_2.1, rest);
    let value = scaled(polynomial(rest, &EXP), whole(n));
    if x.is_nan() { x } else { value }
}

/// 2 to the `x`.
#[inline(always)]
pub fn exp2(x: f32) -> f32 {
    let tame = clamped(x, EXP2_LIMITS);
    let n = tame.round_ties_even();
    let value = scaled(polynomial(tame - n, &EXP2), whole(n));
    if x.is_nan() { x } else { value }
}

#[inline(always)]
fn clamped(x: f32, (low, high): (f32, f32)) -> f32 {
    let x = if x > high { high } else { x };
    if x < low { low } else { x }
}

#[inline(always)]
fn polynomial(x: f32, factors: &[f32]) -> f32 {
    let sum = factors[1..].iter().fold(factors[0], |sum, &c| sum.mul_add(x, c));
    sum.mul_add(x, 1.0)
}

/// A small whole number as an integer, by operations that vectors have (a conversion would test for what is no number): 1.5 times 2^23
/// has room for it in its last bits.
#[inline(always)]
fn whole(n: f32) -> i32 {
    const ROOM: f32 = 12_582_912.0;
    ((n + ROOM).to_bits() as i32).wrapping_sub(ROOM.to_bits() as i32)
}

/// Times 2 to the n, rounded once.
#[inline(always)]
fn scaled(p: f32, n: i32) -> f32 {
    let power = f64::from_bits((i64::from(n).wrapping_add(1023) << 52) as u64);
    (f64::from(p) * power) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn within_two_units_and_one_in_the_last_place() {
        let steps = |a: f32, b: f64| {
            let unit = f64::from(f32::from_bits((b as f32).to_bits() + 1)) - f64::from(b as f32);
            ((f64::from(a) - b) / unit).abs()
        };
        for i in -87_000..88_700 {
            let x = i as f32 * 0.001 + 1e-5;
            assert!(steps(exp(x), f64::from(x).exp()) < 2.0, "exp {x}");
            assert!(steps(exp2(x), f64::from(x).exp2()) < 1.0, "exp2 {x}");
        }
    }

    #[test]
    fn ends_of_the_range() {
        for f in [exp as fn(f32) -> f32, exp2] {
            assert_eq!((f(0.0), f(-0.0), f(f32::NEG_INFINITY), f(f32::INFINITY)), (1.0, 1.0, 0.0, f32::INFINITY));
            assert!(f(f32::NAN).is_nan());
            assert!(f(-1e9) == 0.0 && f(1e9) == f32::INFINITY);
        }
        assert_eq!(exp2(-149.0), f32::from_bits(1), "the smallest denormal");
        assert_eq!(exp2(10.0), 1024.0);
    }
}
