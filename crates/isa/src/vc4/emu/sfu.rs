//! The special function unit: 1/x, 1/sqrt|x|, 2^x and log2|x|, to about 15 bits.
//!
//! The hardware's tables are unpublished, so this is a model and not exact to the bit. What is recorded of boards (VC4C's
//! `doc/sfu_accuracy.txt`; py-videocore's tests hold reciprocals, roots and exponentials to 1e-4):
//!
//! - 2^x is a multiple of 2^-15 times a power of two, mostly the right value and one unit: `exp2(0)` is 1.000031. Of the 13
//!   recorded values the model gives ten to all printed digits; at -1, -2 and -0.5 it is up to 2^-13.4 above.
//! - log2 is a multiple of 2^-15 and up to 2.3 of them below the right value; the model is less than one below.
//! - 1/x and 1/sqrt|x| are recorded only one inside the other: `recip(recip(2))` is 2.000183, so that one application is
//!   wrong by 2^-14.4 at least, where the model is wrong by 2^-14.4 at most.
//!
//! Programs that need more refine the result, and must come out the same for every unit within 2^-13: [`SfuModel::WORST`]
//! tests that, [`SfuModel::Ideal`] shows what is left of an error without the unit's.
//!
//! # The function, exactly
//! An input whose exponent field is 0 (zero, negative zero, denormal) reads as +0; a NaN reads as the infinity of its
//! sign. Then, with x as an f64, which holds every f32 exactly, and f64 arithmetic rounded to nearest:
//!
//! | x | recip | rsqrt | exp2 | log2 |
//! |---|---|---|---|---|
//! | +0 | +Inf | +Inf | near(1.0) | -Inf |
//! | +Inf | +0 | +0 | +Inf | +Inf |
//! | -Inf | +0 | +0 | +0 | +Inf |
//! | other | near(1.0 / x) | near(1.0 / libm::sqrt(abs x)) | near(libm::exp2(x)) | libm::floor(libm::log2(abs x) * 2^15) / 2^15 |
//!
//! `libm` is the crate, never the platform's library, so that every host gives the same bits. `near(v)` is v * (1 + 2^-15)
//! rounded to 16 significant bits (ties away from zero). The result is written as an f32, toward zero:
//! - |v| < 2^-126: +0 (there are no denormals and no negative zero);
//! - |v| >= 2^128: infinity of v's sign.

use super::{Lanes, alu};

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
    /// The right value, rounded toward zero to 24 bits.
    Ideal,
    /// What recorded values of boards suggest: 16 significant bits, one unit too large; logarithms in steps of 2^-15.
    #[default]
    Fitted,
    /// The right value times 1 + e, |e| < 2^-`bits`, where e is a fixed function of `seed`, function and input; rounded
    /// toward zero to 24 bits. Logarithms below 1 are off by up to 2^-`bits`, too. Zeros and infinities are those of
    /// [`SfuModel::Ideal`].
    Perturbed { seed: u64, bits: u32 },
}

impl SfuModel {
    /// Errors of up to 2^-13, more than is recorded of any board.
    pub const WORST: SfuModel = SfuModel::Perturbed { seed: 1, bits: 13 };

    /// What [`SfuModel::from_name`] takes.
    pub const NAMES: [&'static str; 3] = ["ideal", "model", "worst"];

    /// The model of this name: `ideal`, `model` (the default), `worst`.
    pub fn from_name(name: &str) -> Option<SfuModel> {
        match name {
            "ideal" => Some(SfuModel::Ideal),
            "model" => Some(SfuModel::Fitted),
            "worst" => Some(SfuModel::WORST),
            _ => None,
        }
    }

    /// The unit's result for one lane.
    ///
    /// ```
    /// use quadra_isa::vc4::emu::sfu::{Function, SfuModel};
    /// assert_eq!(SfuModel::Ideal.eval(Function::Exp2, 0), 1f32.to_bits());
    /// // As a board prints it.
    /// let one = f32::from_bits(SfuModel::Fitted.eval(Function::Exp2, 0));
    /// assert_eq!(format!("{one:.6}"), "1.000031");
    /// ```
    pub fn eval(self, function: Function, x: u32) -> u32 {
        let right = right_value(function, x);
        let ideal = to_f32_toward_zero(right);
        match self {
            SfuModel::Ideal => ideal,
            SfuModel::Fitted => to_f32_toward_zero(fitted(function, right)),
            SfuModel::Perturbed { seed, bits } => perturbed(function, x, right, ideal, (seed, bits)),
        }
    }
}

impl SfuModel {
    /// The unit's results for all lanes.
    pub fn eval_lanes(self, function: Function, x: &Lanes) -> Lanes {
        let soon = if self == SfuModel::Fitted && function == Function::Exp2 { exp2_lanes(x) } else { None };
        soon.unwrap_or_else(|| Lanes(x.0.map(|x| self.eval(function, x))))
    }
}

/// 2^x as [`SfuModel::Fitted`] has it. Of the right value 16 bits are left, which a value wrong by 2^-40 settles as well unless it
/// is so near to where they change: then, and where results may not be ordinary numbers, there is nothing.
fn exp2_lanes(x: &Lanes) -> Option<Lanes> {
    const DOUBT: u64 = 1 << 12;
    let (mut results, mut doubts) = ([0; 16], false);
    for (result, x) in results.iter_mut().zip(x.0) {
        let x = if x >> 23 & 255 == 0 { 0 } else { x };
        // From 64 on.
        doubts |= x >> 23 & 255 >= 133;
        let near = exp2_near(f64::from(f32::from_bits(x)));
        let bits = (near * (1.0 + UNIT)).to_bits() + (1 << 36);
        doubts |= (bits + DOUBT) & ((1 << 37) - 1) < 2 * DOUBT;
        *result = ((bits & !((1 << 37) - 1)) >> 29).wrapping_sub(896 << 23) as u32;
    }
    (!doubts).then_some(Lanes(results))
}

/// 2^x for x between -1000 and 1000, wrong by 2^-45 of it at most; anything for others.
fn exp2_near(x: f64) -> f64 {
    // Added, it leaves the nearest whole number in the low bits.
    const WHOLE: f64 = 6_755_399_441_055_744.0;
    let shifted = x + WHOLE;
    let f = x - (shifted - WHOLE);
    let sum = SERIES.iter().fold(0.0, |sum, factor| sum * f + factor);
    f64::from_bits(sum.to_bits().wrapping_add(shifted.to_bits() << 52))
}

/// The factors of the powers of f in 2^f, from the eleventh down: the next term is below 2^-47.
const SERIES: [f64; 12] = {
    let (mut factors, mut factor, mut n) = ([0.0; 12], 1.0, 0);
    while n < 12 {
        factors[11 - n] = factor;
        n += 1;
        factor *= std::f64::consts::LN_2 / n as f64;
    }
    factors
};

/// One unit of the fraction of [`SfuModel::Fitted`].
const UNIT: f64 = 1.0 / 32768.0;

/// The right value as the unit gives it, for [`SfuModel::Fitted`].
fn fitted(function: Function, right: f64) -> f64 {
    if function == Function::Log2 {
        return libm::floor(right / UNIT) * UNIT;
    }
    // 15 bits of the fraction stay of 52; the carry of the half may go into the exponent.
    let bits = (right * (1.0 + UNIT)).to_bits() + (1 << 36);
    f64::from_bits(bits & !((1 << 37) - 1))
}

fn perturbed(function: Function, x: u32, right: f64, ideal: u32, (seed, bits): (u64, u32)) -> u32 {
    let exponent = ideal >> 23 & 255;
    if exponent == 0 || exponent == 255 {
        return ideal;
    }
    let e = unit_interval(seed ^ (function as u64) << 56 ^ u64::from(x)) * libm::exp2(-f64::from(bits.min(60)));
    let scale = if function == Function::Log2 && right.abs() < 1.0 { 1.0 } else { right };
    let moved = to_f32_toward_zero(right + scale * e);
    // A value moved out of the range of floats stays where it was.
    if alu::flush(moved) == 0 || moved >> 23 & 255 == 255 { ideal } else { moved }
}

/// The function's value before it is rounded.
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
        // The ideal value and the fitted one.
        let cases = [
            (Recip, 0, [INF; 2]),
            (Recip, NEG, [INF; 2]),
            (Recip, 0x0000_0001, [INF; 2]),
            (Recip, INF, [0; 2]),
            (Recip, NEG | INF, [0; 2]),
            (Recip, 0x7fff_ffff, [0; 2]),
            (Recip, 0x7e80_0000, [0x0080_0000, 0x0080_0100]),
            (Recip, 0x7e80_2000, [0, 0]),
            (Recip, 0xbf80_0000, [0xbf80_0000, 0xbf80_0100]),
            (Rsqrt, 0, [INF; 2]),
            (Rsqrt, 0xc080_0000, [0x3f00_0000, 0x3f00_0100]),
            (Rsqrt, INF, [0; 2]),
            (Exp2, 0, [0x3f80_0000, 0x3f80_0100]),
            (Exp2, 0x4300_0000, [INF; 2]),
            (Exp2, 0xc2fc_0000, [0x0080_0000, 0x0080_0100]),
            (Exp2, 0xc2fe_0000, [0; 2]),
            (Exp2, NEG | INF, [0; 2]),
            (Exp2, 0xffff_ffff, [0; 2]),
            (Exp2, 0x7fff_ffff, [INF; 2]),
            (Log2, 0, [NEG | INF; 2]),
            (Log2, 0x3f80_0000, [0; 2]),
            (Log2, 0xc100_0000, [0x4040_0000; 2]),
            (Log2, NEG | INF, [INF; 2]),
        ];
        for (function, x, expected) in cases {
            let got = [SfuModel::Ideal, SfuModel::Fitted].map(|model| model.eval(function, x));
            assert_eq!(got, expected, "{function:?} {x:08x}");
        }
    }

    /// Single applications that were printed on a board (VC4C, doc/sfu_accuracy.txt), and how far the model may be off.
    #[test]
    fn recorded_values() {
        let fitted = |function, x: f32| f64::from(f32::from_bits(SfuModel::Fitted.eval(function, x.to_bits())));
        let exact = [
            (0.0, "1.000031e0"),
            (1.0, "2.000061e0"),
            (2.0, "4.000122e0"),
            (std::f32::consts::PI, "8.825195e0"),
            (std::f32::consts::E, "6.581055e0"),
            (100.0, "1.267689e30"),
            (0.5, "1.414246e0"),
            (0.25, "1.189240e0"),
            (0.125, "1.090546e0"),
            (-std::f32::consts::PI, "1.133175e-1"),
        ];
        for (x, printed) in exact {
            assert_eq!(format!("{:.6e}", fitted(Function::Exp2, x)), printed, "exp2({x})");
        }
        for (x, value) in [(-1.0, 4.999847e-1), (-2.0, 2.499924e-1), (-0.5, 7.071075e-1)] {
            assert!((fitted(Function::Exp2, x) / value - 1.0f64).abs() < 9.3e-5, "exp2({x})");
        }
        let logarithms = [
            (1.0, 0.0),
            (2.0, 1.0),
            (std::f32::consts::PI, 1.651428),
            (std::f32::consts::E, 1.442627),
            (100.0, 6.643829),
            (1000.0, 9.965729),
            (1e5, 16.60959),
            (0.5, -0.9999847),
            (0.25, -1.999985),
        ];
        for (x, value) in logarithms {
            assert!((fitted(Function::Log2, x) - value).abs() < 2.1 / 32768.0, "log2({x})");
        }
    }

    /// Lanes together give what each gives by itself, also where 16 bits are hard to tell and where results leave the range.
    #[test]
    fn lanes_together_are_lanes_one_by_one() {
        let mut state = 1u64;
        let mut word = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 32) as u32
        };
        let mut soon = 0;
        for round in 0..6000u32 {
            let x = Lanes(std::array::from_fn(|lane| {
                let word = word();
                match round % 4 {
                    0 => word,
                    // Below 16 of either sign.
                    1 => word & 0x8000_0000 | (0x3400_0000 + (word & 0x7fff_ffff) % 0x0d80_0000),
                    // Where the rounded value changes, and neighbours.
                    2 => {
                        let edge = 1.0 + (f64::from(word >> 17) + 0.5) / 32768.0;
                        let x = libm::log2(edge / (1.0 + UNIT)) + f64::from(word & 7);
                        (x as f32).to_bits().wrapping_add(lane as u32 % 3).wrapping_sub(1)
                    }
                    _ => [0, NEG, 1, INF, NEG | INF, 0x7fc0_0000, 0x4280_0000, 0xc2fc_0000, 0x3f80_0000][lane % 9],
                }
            }));
            for function in Function::ALL {
                let expected = Lanes(x.0.map(|x| SfuModel::Fitted.eval(function, x)));
                assert_eq!(SfuModel::Fitted.eval_lanes(function, &x), expected, "{function:?} {x:08x?}");
            }
            soon += usize::from(exp2_lanes(&x).is_some());
        }
        assert!(soon > 2900, "{soon}");
    }

    /// The bound that [`exp2_lanes`] relies on.
    #[test]
    fn the_series_is_near_enough() {
        for n in -64_000..64_000 {
            let x = f64::from(n) * 0.001_003;
            let error = exp2_near(x) / libm::exp2(x) - 1.0;
            assert!(error.abs() < 2f64.powi(-44), "2^{x}: {error}");
        }
    }

    #[test]
    fn every_model_keeps_its_error() {
        let models =
            [(SfuModel::Ideal, 2f64.powi(-23)), (SfuModel::Fitted, 1.5 / 32768.0), (SfuModel::WORST, 1.0 / 8180.0)];
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
                if !right.is_finite() || right.abs() < 1e-30 || right.abs() > 1e38 {
                    continue;
                }
                let scale = if function == Function::Log2 { right.abs().max(1.0) } else { right };
                let errors = models.map(|(model, limit)| {
                    let got = f64::from(f32::from_bits(model.eval(function, x.to_bits())));
                    let error = (got - right) / scale;
                    assert!(error.abs() <= limit, "{model:?}: {function:?} {x}: {error}");
                    error
                });
                moved += usize::from(errors[2].abs() > 1.0 / 32768.0);
            }
        }
        assert!(moved > 8000, "{moved}");
        let named = SfuModel::NAMES.map(SfuModel::from_name);
        assert_eq!(named, [Some(SfuModel::Ideal), Some(SfuModel::default()), Some(SfuModel::WORST)]);
    }
}
