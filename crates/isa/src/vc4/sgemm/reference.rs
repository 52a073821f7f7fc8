//! What the product must be: in the QPU's arithmetic to the bit, and in round-to-nearest arithmetic for comparison.
//!
//! The QPU's sums and products are the exact results cut off toward zero to 24 bits; zeros and what is smaller than the
//! smallest normal number become +0. This file computes that from 64-bit host arithmetic, independently of the emulator.

use super::{Data, Plan};

/// The smallest normal 32-bit float, as a 64-bit one.
const SMALLEST: f64 = f32::MIN_POSITIVE as f64;

/// A finite number cut off to a 32-bit float; `rest` is what the host's rounding took away (exact value minus `value`).
fn cut(value: f64, rest: f64) -> f32 {
    if value.abs() < SMALLEST {
        return 0.0;
    }
    // Bits that a 32-bit float cannot hold are cleared: the exponents of normal numbers fit, and overflow becomes infinite.
    let cut = f64::from_bits(value.to_bits() & !0x1fff_ffff);
    // If nothing was cleared and the exact value lies nearer to zero, it lies below this float.
    if cut == value && rest != 0.0 && (rest < 0.0) == (value > 0.0) {
        let below = f64::from_bits(value.to_bits() - 1);
        return f64::from_bits(below.to_bits() & !0x1fff_ffff) as f32;
    }
    cut as f32
}

fn flushed(x: f32) -> f32 {
    if x.is_normal() { x } else { 0.0 }
}

/// The product of two finite floats. 24 bits times 24 bits fit into the 53 of a 64-bit float.
pub fn mul(x: f32, y: f32) -> f32 {
    cut(f64::from(flushed(x)) * f64::from(flushed(y)), 0.0)
}

/// The sum of two finite floats. The host's sum may be rounded; what was lost follows exactly (Knuth's two-sum).
pub fn add(x: f32, y: f32) -> f32 {
    let (x, y) = (f64::from(flushed(x)), f64::from(flushed(y)));
    let sum = x + y;
    let virtual_y = sum - x;
    let rest = (x - (sum - virtual_y)) + (y - virtual_y);
    cut(sum, rest)
}

/// alpha A B + beta C in the QPU's arithmetic, the terms of each sum in the order of k.
pub fn truncating(plan: &Plan, data: &Data) -> Vec<f32> {
    product(plan, data, add, mul)
}

/// The same rounded to nearest after each operation.
pub fn nearest(plan: &Plan, data: &Data) -> Vec<f32> {
    product(plan, data, |x, y| x + y, |x, y| x * y)
}

fn product(plan: &Plan, data: &Data, add: impl Fn(f32, f32) -> f32, mul: impl Fn(f32, f32) -> f32) -> Vec<f32> {
    let (q, r) = (plan.q as usize, plan.r as usize);
    let mut out = Vec::with_capacity(data.c.len());
    let mut sums = vec![0.0; r];
    for (a, c) in data.a.chunks_exact(q).zip(data.c.chunks_exact(r)) {
        sums.fill(0.0);
        for (x, b) in a.iter().zip(data.b.chunks_exact(r)) {
            for (sum, y) in sums.iter_mut().zip(b) {
                *sum = add(*sum, mul(*x, *y));
            }
        }
        out.extend(sums.iter().zip(c).map(|(sum, c)| add(mul(data.alpha, *sum), mul(data.beta, *c))));
    }
    out
}

/// The largest absolute difference of two matrices.
pub fn max_error(x: &[f32], y: &[f32]) -> f64 {
    x.iter().zip(y).map(|(x, y)| f64::from((x - y).abs())).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vc4::emu::alu;
    use crate::vc4::sgemm::random::Random;

    #[test]
    fn the_two_arithmetics_agree() {
        // Normal numbers with exponents that make sums exact, cut, cancelled, far apart and too small.
        let mut random = Random::new(7);
        let mut float = || {
            let (word, near) = (random.word(), random.word());
            let exponent = if near & 1 == 0 { 100 + (near >> 8) % 56 } else { 1 + (near >> 8) % 190 };
            f32::from_bits(word & 0x807f_ffff & !(if near & 2 == 0 { 0 } else { 0x7fff_f000 }) | exponent << 23)
        };
        for _ in 0..400_000 {
            let (x, y) = (float(), float());
            assert_eq!(add(x, y).to_bits(), alu::fadd(x.to_bits(), y.to_bits()), "{x:e} + {y:e}");
            let product = f64::from(x) * f64::from(y);
            if product.abs() < f64::from(f32::MAX) {
                assert_eq!(mul(x, y).to_bits(), alu::fmul(x.to_bits(), y.to_bits()), "{x:e} * {y:e}");
            }
        }
    }
}
