//! Remainders of floats: long division with digits of 12 bits.
//!
//! A digit times a half of the divisor, 12 bits as well, is exact, and so are all differences, since what is left has no finer bits
//! than the divisor. The reciprocal is a little too large: a digit is right or one too high, never too low, so that what is left is
//! less than the divisor, or below zero by a small part of it, which the next digit takes back.
//!
//! Three digits make remainders exact for quotients below 2^36. Where a quotient is larger, the result lies between zero and the
//! divisor all the same: that of a number whose own last bit is worth thousands of divisors says nothing anyway, but it may be a
//! subscript.

use super::Emit;
use quadra_kir::{Elem, Op, Value};

/// Bits of a digit.
const DIGIT: i32 = 12;
/// Digits.
const DIGITS: i32 = 3;
/// By how much the reciprocal is too large: more than the error of a rough one, right to 10 bits, after a step of Newton's method.
const ABOVE: f32 = 1.0 / (1 << 18) as f32;

/// A divisor without its sign, and what is computed of it once.
struct Divisor {
    size: Value,
    /// The upper 12 bits and, unless they are zero, the others.
    high: Value,
    low: Option<Value>,
    reciprocal: Value,
}

impl Divisor {
    fn of(e: &mut Emit<'_>, b: Value) -> Divisor {
        if let Some(c) = e.kernel.as_const(b) {
            let size = f32::from_bits(c.bits as u32).abs();
            let high = f32::from_bits(size.to_bits() & super::divide::HIGH);
            let low = size - high;
            let reciprocal = (1.0 / f64::from(size) * f64::from(1.0 + ABOVE)) as f32;
            let some = low != 0.0;
            return Divisor {
                size: e.float(size),
                high: e.float(high),
                low: some.then(|| e.float(low)),
                reciprocal: e.float(reciprocal),
            };
        }
        let size = e.abs(b);
        let (high, low) = super::divide::split(e, size);
        let seed = e.op(Op::RecipApprox, &[size]);
        let product = e.mul(size, seed);
        let one = e.float(1.0 + ABOVE);
        let error = e.sub(one, product);
        let reciprocal = e.mul_add(seed, error, seed);
        Divisor { size, high, low: Some(low), reciprocal }
    }

    /// What is left of `x` behind the multiple of the divisor that the digit of `2^place` stands for.
    fn digit(&self, e: &mut Emit<'_>, x: Value, place: i32) -> Value {
        let scaled = |e: &mut Emit<'_>, v: Value, by: i32| {
            let factor = e.float(2f32.powi(by));
            if by == 0 { v } else { e.mul(v, factor) }
        };
        let reciprocal = scaled(e, self.reciprocal, -place);
        let quotient = e.mul(x, reciprocal);
        let whole = e.op(Op::ToI32, &[quotient]);
        let digit = e.op(Op::ToF32, &[whole]);
        let digit = scaled(e, digit, place);
        let product = e.mul(digit, self.high);
        let left = e.sub(x, product);
        let Some(low) = self.low else { return left };
        let product = e.mul(digit, low);
        e.sub(left, product)
    }

    /// What is left of `x`, which is not negative: from zero to less than the divisor.
    fn rest(&self, e: &mut Emit<'_>, x: Value) -> Value {
        let left = (0..DIGITS).rev().fold(x, |left, n| self.digit(e, left, n * DIGIT));
        let zero = e.float(0.0);
        let below = e.op(Op::CmpLt, &[left, zero]);
        let back = e.add(left, self.size);
        let rest = e.select(below, back, left);
        let least = e.op(Op::Max, &[rest, zero]);
        // The largest float below the divisor.
        let most = match e.kernel.as_const(self.size) {
            Some(c) => e.float(f32::from_bits((c.bits as u32).max(1) - 1)),
            None => {
                let (bits, one) = (e.op(Op::BitsI32, &[self.size]), e.int(1));
                let before = e.op(Op::Sub, &[bits, one]);
                e.op(Op::BitsF32, &[before])
            }
        };
        e.op(Op::Min, &[least, most])
    }
}

/// a - b·trunc(a/b).
pub(super) fn rem(e: &mut Emit<'_>, a: Value, b: Value) -> Value {
    let x = e.abs(a);
    let rest = Divisor::of(e, b).rest(e, x);
    signed(e, rest, a)
}

/// a - b·floor(a/b): the remainder of the sizes or, where the signs differ, what it lacks to the divisor.
pub(super) fn modulo(e: &mut Emit<'_>, a: Value, b: Value) -> Value {
    let x = e.abs(a);
    let divisor = Divisor::of(e, b);
    let rest = divisor.rest(e, x);
    let zero = e.float(0.0);
    let (negative, below) = (e.op(Op::CmpLt, &[a, zero]), e.op(Op::CmpLt, &[b, zero]));
    let differ = e.op(Op::Xor, &[negative, below]);
    let some = e.op(Op::CmpNe, &[rest, zero]);
    let turned = e.op(Op::And, &[differ, some]);
    let other = e.sub(divisor.size, rest);
    let value = e.select(turned, other, rest);
    match e.kernel.as_const(b) {
        Some(c) if f32::from_bits(c.bits as u32) > 0.0 => value,
        _ => signed(e, value, b),
    }
}

/// A size with another number's sign.
fn signed(e: &mut Emit<'_>, size: Value, of: Value) -> Value {
    debug_assert_eq!(e.kernel.ty(size).elem, Elem::F32);
    let sign = e.and_bits(of, 0x8000_0000);
    let (size, sign) = (e.op(Op::BitsI32, &[size]), e.op(Op::BitsI32, &[sign]));
    let bits = e.op(Op::Or, &[size, sign]);
    e.op(Op::BitsF32, &[bits])
}
