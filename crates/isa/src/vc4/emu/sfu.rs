//! The special function unit: 1/x, 1/sqrt|x|, 2^x and log2|x|, to about 11 bits.
//!
//! No bit-exact description of the hardware's tables is known, so this is a model: the right value, cut to 12 significant
//! bits (the implicit one and 11 stored bits). The hardware's own results are right to 10 to 12 bits. Programs that need
//! more refine the result, and must come out the same for every unit within 2^-10: [`SfuModel::Perturbed`] tests that.
//!
//! # The function, exactly
//! An input whose exponent field is 0 (zero, negative zero, denormal) reads as +0; a NaN reads as the infinity of its
//! sign. Then, with x as an f64, which holds every f32 exactly, and f64 arithmetic rounded to nearest:
//!
//! | x | recip | rsqrt | exp2 | log2 |
//! |---|---|---|---|---|
//! | +0 | +Inf | +Inf | 1.0 | -Inf |
//! | +Inf | +0 | +0 | +Inf | +Inf |
//! | -Inf | +0 | +0 | +0 | +Inf |
//! | other | cut(1.0 / x) | cut(1.0 / libm::sqrt(abs x)) | cut(libm::exp2(x)) | cut(libm::log2(abs x)) |
//!
//! `libm` is the crate, never the platform's library, so that every host gives the same bits. `cut(v)` of an f64:
//! - |v| < 2^-126: +0 (there are no denormals and no negative zero);
//! - |v| >= 2^128: infinity of v's sign;
//! - else v rounded toward zero to an f32, with the low 12 bits cleared (`bits & 0xfffff000`).

use super::alu;

/// The four functions, in the order of their write addresses 52 to 55.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Function {
    /// 1/x
    Recip,
    /// 1/sqrt|x|
    Rsqrt,
    /// 2^x
    Exp2,
    /// log2|x|
    Log2,
}

impl Function {
    /// All four, in the order of the write addresses.
    pub const ALL: [Function; 4] = [Function::Recip, Function::Rsqrt, Function::Exp2, Function::Log2];
}

/// Which values the unit delivers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SfuModel {
    /// The right value cut to 12 significant bits.
    #[default]
    Truncated,
    /// The right value times 1 + e, |e| < 2^-`bits`, where e is a fixed function of `seed`, function and input; rounded
    /// toward zero to 24 bits. Zeros and infinities are those of [`SfuModel::Truncated`].
    Perturbed { seed: u64, bits: u32 },
}

impl SfuModel {
    /// The unit's result for one lane.
    ///
    /// ```
    /// use quadra_isa::vc4::emu::sfu::{Function, SfuModel};
    /// let third = SfuModel::Truncated.eval(Function::Recip, 3f32.to_bits());
    /// assert_eq!(third, (1f32 / 3.0).to_bits() & 0xfffff000);
    /// ```
    pub fn eval(self, function: Function, x: u32) -> u32 {
        let truncated = cut(right_value(function, x));
        let SfuModel::Perturbed { seed, bits } = self else { return truncated };
        let exponent = truncated >> 23 & 255;
        if exponent == 0 || exponent == 255 {
            return truncated;
        }
        let e =
            unit_interval(seed ^ (function as u64) << 56 ^ u64::from(x)) * (-libm::exp2(bits.min(60) as f64)).recip();
        let moved = to_f32_toward_zero(right_value(function, x) * (1.0 + e));
        // A value moved out of the range of floats stays where it was.
        if alu::flush(moved) == 0 || moved >> 23 & 255 == 255 { truncated } else { moved }
    }
}

/// The function's value before it is cut.
fn right_value(function: Function, x: u32) -> f64 {
    let mut x = alu::flush(x);
    if x >> 23 & 255 == 255 {
        x &= 0xff80_0000;
    }
    let x = f64::from(f32::from_bits(x));
    match function {
        Function::Recip => 1.0 / x,
        Function::Rsqrt => 1.0 / libm::sqrt(x.abs()),
        Function::Exp2 => libm::exp2(x),
        Function::Log2 => libm::log2(x.abs()),
    }
}

fn cut(value: f64) -> u32 {
    to_f32_toward_zero(value) & 0xffff_f000
}

/// An f64 as float bits, rounded toward zero; infinite from 2^128 on, +0 below 2^-126.
fn to_f32_toward_zero(value: f64) -> u32 {
    let bits = value.to_bits();
    let (sign, exponent) = ((bits >> 32) as u32 & 0x8000_0000, (bits >> 52 & 0x7ff) as i32 - 1023);
    match exponent {
        ..-126 => 0,
        128.. => sign | 0x7f80_0000,
        _ => sign | ((exponent + 127) as u32) << 23 | (bits >> 29) as u32 & 0x7f_ffff,
    }
}

/// A number in -1..1 that depends on every bit of `key` (the finaliser of the splitmix64 generator).
fn unit_interval(key: u64) -> f64 {
    let mut z = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    (z >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const INF: u32 = 0x7f80_0000;
    const NEG: u32 = 0x8000_0000;

    #[test]
    fn special_inputs() {
        use Function::*;
        let cases = [
            (Recip, 0, INF),
            (Recip, NEG, INF),
            (Recip, 0x0000_0001, INF),
            (Recip, INF, 0),
            (Recip, NEG | INF, 0),
            (Recip, 0x7fff_ffff, 0),
            (Recip, 0x7e80_0000, 0x0080_0000),
            (Recip, 0x7e80_0001, 0),
            (Recip, 0xbf80_0000, 0xbf80_0000),
            (Rsqrt, 0, INF),
            (Rsqrt, 0xc080_0000, 0x3f00_0000),
            (Rsqrt, INF, 0),
            (Exp2, 0, 0x3f80_0000),
            (Exp2, 0x4300_0000, INF),
            (Exp2, 0xc2fc_0000, 0x0080_0000),
            (Exp2, 0xc2fe_0000, 0),
            (Exp2, NEG | INF, 0),
            (Exp2, 0xffff_ffff, 0),
            (Exp2, 0x7fff_ffff, INF),
            (Log2, 0, NEG | INF),
            (Log2, 0x3f80_0000, 0),
            (Log2, 0xc100_0000, 0x4040_0000),
            (Log2, NEG | INF, INF),
        ];
        for (function, x, expected) in cases {
            assert_eq!(SfuModel::Truncated.eval(function, x), expected, "{function:?} {x:08x}");
        }
    }

    #[test]
    fn results_are_close_and_perturbed_ones_differ() {
        let perturbed = SfuModel::Perturbed { seed: 7, bits: 10 };
        let (mut state, mut moved) = (1u32, 0);
        for _ in 0..4000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let x = f32::from_bits(0x3f00_0000 + (state >> 7));
            for function in Function::ALL {
                let right = match function {
                    Function::Recip => 1.0 / f64::from(x),
                    Function::Rsqrt => 1.0 / f64::from(x).sqrt(),
                    Function::Exp2 => f64::from(x).exp2(),
                    Function::Log2 => f64::from(x).log2(),
                };
                let of = |model: SfuModel| f64::from(f32::from_bits(model.eval(function, x.to_bits())));
                if !right.is_finite() || right.abs() < 1e-30 || right.abs() > 1e38 {
                    continue;
                }
                let relative = (of(SfuModel::Truncated) - right) / right;
                assert!(relative <= 0.0 && relative > -1.0 / 2048.0, "{function:?} {x}: {relative}");
                let relative = (of(perturbed) - right) / right;
                assert!(relative.abs() < 1.0 / 1023.0, "{function:?} {x}: {relative}");
                moved += usize::from(relative.abs() > 1.0 / 4096.0);
            }
        }
        assert!(moved > 8000, "{moved}");
    }
}
