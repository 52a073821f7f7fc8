//! Floats rounded to nearest.

use super::{exponential, not_lanewise};
use crate::ops::Op;

/// The bits of a result: which NaN an operation makes differs between hosts, so there is only one here.
pub(super) fn bits32(x: f32) -> u64 {
    if x.is_nan() { 0x7fc0_0000 } else { x.to_bits() as u64 }
}

/// As [`bits32`].
pub(super) fn bits64(x: f64) -> u64 {
    if x.is_nan() { 0x7ff8_0000_0000_0000 } else { x.to_bits() }
}

pub(super) fn lane32(op: Op, a: f32, b: f32) -> u64 {
    let truth = |t: bool| t as u64;
    match op {
        Op::Add => bits32(a + b),
        Op::Sub => bits32(a - b),
        Op::Mul => bits32(a * b),
        Op::Div => bits32(a / b),
        Op::Recip => bits32(1.0 / a),
        Op::Neg => bits32(0.0 - a),
        Op::Abs => (a.to_bits() & 0x7fff_ffff) as u64,
        Op::Min => (if a > b { b } else { a }).to_bits() as u64,
        Op::Max => (if a > b { a } else { b }).to_bits() as u64,
        Op::CmpEq => truth(a == b),
        Op::CmpNe => truth(a != b),
        Op::CmpLt => truth(a < b),
        Op::CmpLe => truth(a <= b),
        Op::CmpGt => truth(a > b),
        Op::CmpGe => truth(a >= b),
        Op::Exp => bits32(exponential::exp(a)),
        Op::Exp2 | Op::Exp2Approx => bits32(exponential::exp2(a)),
        _ => bits32(function(op, a as f64, b as f64) as f32),
    }
}

pub(super) fn lane64(op: Op, a: f64, b: f64) -> u64 {
    let truth = |t: bool| t as u64;
    match op {
        Op::Add => bits64(a + b),
        Op::Sub => bits64(a - b),
        Op::Mul => bits64(a * b),
        Op::Div => bits64(a / b),
        Op::Neg => bits64(0.0 - a),
        Op::Abs => a.to_bits() & !(1 << 63),
        Op::Min => (if a > b { b } else { a }).to_bits(),
        Op::Max => (if a > b { a } else { b }).to_bits(),
        Op::CmpEq => truth(a == b),
        Op::CmpNe => truth(a != b),
        Op::CmpLt => truth(a < b),
        Op::CmpLe => truth(a <= b),
        Op::CmpGt => truth(a > b),
        Op::CmpGe => truth(a >= b),
        _ => bits64(function(op, a, b)),
    }
}

/// The float functions in double precision. The square root of a negative is 0, its reciprocal thus infinite.
pub(super) fn function(op: Op, a: f64, b: f64) -> f64 {
    match op {
        Op::Rem => libm::fmod(a, b),
        Op::Mod => {
            let r = libm::fmod(a, b);
            if r != 0.0 && (r < 0.0) != (b < 0.0) { r + b } else { r }
        }
        Op::Floor => libm::floor(a),
        Op::Ceil => libm::ceil(a),
        Op::Trunc => libm::trunc(a),
        Op::Round => libm::round(a),
        Op::Sqrt => square_root(a),
        Op::Rsqrt => 1.0 / square_root(a),
        Op::Recip | Op::RecipApprox => 1.0 / a,
        Op::RsqrtApprox => 1.0 / libm::sqrt(a.abs()),
        Op::Exp2 | Op::Exp2Approx => libm::exp2(a),
        Op::Log2 => libm::log2(a),
        Op::Log2Approx => libm::log2(a.abs()),
        Op::Exp => libm::exp(a),
        Op::Log => libm::log(a),
        Op::Sin => libm::sin(a),
        Op::Cos => libm::cos(a),
        Op::Tan => libm::tan(a),
        Op::Asin => libm::asin(a),
        Op::Acos => libm::acos(a),
        Op::Atan => libm::atan(a),
        Op::Atan2 => libm::atan2(a, b),
        Op::Sinh => libm::sinh(a),
        Op::Cosh => libm::cosh(a),
        Op::Tanh => libm::tanh(a),
        Op::Pow => libm::pow(a, b),
        _ => not_lanewise(op),
    }
}

fn square_root(a: f64) -> f64 {
    if a < 0.0 { 0.0 } else { libm::sqrt(a) }
}
