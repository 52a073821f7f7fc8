//! The operations of both ALUs on 16 lanes in memory, for every processor: plain loops from operands to result, which the
//! compiler turns into whatever vector instructions the target has.
//!
//! Each function is one loop per operation, reading and writing memory: held in values, the lanes would be torn apart into
//! 16 scalars where the operations' paths join.

use super::{LANES, Lanes, alu};
use crate::vc4::{AddOp, MulOp};

/// The result of the add ALU.
#[inline(always)]
pub fn add_op(op: AddOp, a: &Lanes, b: &Lanes, out: &mut Lanes) {
    match op {
        AddOp::Nop => out.0 = [0; LANES],
        AddOp::Fadd => fadd(a, b, 0, out),
        AddOp::Fsub => fadd(a, b, 0x8000_0000, out),
        AddOp::Fmin => each(a, b, out, |a, b| if key(a) > key(b) { b } else { a }),
        AddOp::Fmax => each(a, b, out, |a, b| if key(a) > key(b) { a } else { b }),
        AddOp::Fminabs => each(a, b, out, |a, b| magnitude(a).min(magnitude(b)) as u32),
        AddOp::Fmaxabs => each(a, b, out, |a, b| magnitude(a).max(magnitude(b)) as u32),
        AddOp::Ftoi => each(a, b, out, |a, _| alu::ftoi(a)),
        AddOp::Itof => each(a, b, out, |a, _| (cut(f64::from(a as i32)) as f32).to_bits()),
        AddOp::Add => each(a, b, out, u32::wrapping_add),
        AddOp::Sub => each(a, b, out, u32::wrapping_sub),
        AddOp::Shr => each(a, b, out, |a, b| a >> (b & 31)),
        AddOp::Asr => each(a, b, out, |a, b| (a as i32 >> (b & 31)) as u32),
        AddOp::Ror => each(a, b, out, |a, b| a.rotate_right(b & 31)),
        AddOp::Shl => each(a, b, out, |a, b| a << (b & 31)),
        AddOp::Min => each(a, b, out, |a, b| (a as i32).min(b as i32) as u32),
        AddOp::Max => each(a, b, out, |a, b| (a as i32).max(b as i32) as u32),
        AddOp::And => each(a, b, out, |a, b| a & b),
        AddOp::Or => each(a, b, out, |a, b| a | b),
        AddOp::Xor => each(a, b, out, |a, b| a ^ b),
        AddOp::Not => each(a, b, out, |a, _| !a),
        AddOp::Clz => each(a, b, out, |a, _| a.leading_zeros()),
        AddOp::V8adds => each_byte(a, b, out, u8::saturating_add),
        AddOp::V8subs => each_byte(a, b, out, u8::saturating_sub),
    }
}

/// The result of the mul ALU.
#[inline(always)]
pub fn mul_op(op: MulOp, a: &Lanes, b: &Lanes, out: &mut Lanes) {
    match op {
        MulOp::Nop => out.0 = [0; LANES],
        MulOp::Fmul => fmul(a, b, out),
        MulOp::Mul24 => each(a, b, out, |a, b| (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff)),
        MulOp::V8muld => each_byte(a, b, out, |x, y| {
            let n = u16::from(x) * u16::from(y) + 127;
            ((n + 1 + (n >> 8)) >> 8) as u8
        }),
        MulOp::V8min => each_byte(a, b, out, u8::min),
        MulOp::V8max => each_byte(a, b, out, u8::max),
        MulOp::V8adds => each_byte(a, b, out, u8::saturating_add),
        MulOp::V8subs => each_byte(a, b, out, u8::saturating_sub),
    }
}

/// Flag C of the add ALU's result `r`.
#[inline(always)]
pub fn add_carry(op: AddOp, a: &Lanes, b: &Lanes, r: &Lanes) -> u16 {
    match op {
        AddOp::Fadd | AddOp::Fsub => lanes(|i| r.0[i] as i32 > 0),
        AddOp::Itof => lanes(|i| a.0[i] as i32 > 0),
        AddOp::Fmin | AddOp::Fmax => lanes(|i| key(a.0[i]) > key(b.0[i])),
        AddOp::Fminabs | AddOp::Fmaxabs => lanes(|i| magnitude(a.0[i]) > magnitude(b.0[i])),
        AddOp::Add => lanes(|i| r.0[i] < a.0[i]),
        AddOp::Sub => lanes(|i| a.0[i] < b.0[i]),
        AddOp::Min | AddOp::Max => lanes(|i| a.0[i] as i32 > b.0[i] as i32),
        AddOp::Shr | AddOp::Asr | AddOp::Shl => lanes(|i| alu::add_op(op, a.0[i], b.0[i]).carry),
        _ => 0,
    }
}

/// Flag C of the mul ALU's result.
#[inline(always)]
pub fn mul_carry(op: MulOp, a: &Lanes, b: &Lanes) -> u16 {
    if op == MulOp::Mul24 { lanes(|i| alu::mul_op(op, a.0[i], b.0[i]).carry) } else { 0 }
}

/// Flags Z and N of a result.
#[inline(always)]
pub fn zero_negative(r: &Lanes) -> (u16, u16) {
    (lanes(|i| r.0[i] == 0), lanes(|i| (r.0[i] as i32) < 0))
}

/// Stores the lanes of `mask`.
#[inline(always)]
pub fn store_lanes(from: &Lanes, mask: u16, to: &mut Lanes) {
    if mask == !0 {
        *to = *from;
        return;
    }
    for i in 0..LANES {
        // All ones where the lane is taken.
        let take = 0u32.wrapping_sub(u32::from(mask) >> i & 1);
        to.0[i] = to.0[i] & !take | from.0[i] & take;
    }
}

#[inline(always)]
fn each(a: &Lanes, b: &Lanes, out: &mut Lanes, f: impl Fn(u32, u32) -> u32) {
    for i in 0..LANES {
        out.0[i] = f(a.0[i], b.0[i]);
    }
}

#[inline(always)]
fn each_byte(a: &Lanes, b: &Lanes, out: &mut Lanes, f: impl Fn(u8, u8) -> u8) {
    let bytes = |v: &Lanes| -> [u8; 64] { std::array::from_fn(|i| (v.0[i / 4] >> (i % 4 * 8)) as u8) };
    let (x, y) = (bytes(a), bytes(b));
    let mut z = [0u8; 64];
    for i in 0..64 {
        z[i] = f(x[i], y[i]);
    }
    for i in 0..LANES {
        out.0[i] = u32::from_le_bytes([z[4 * i], z[4 * i + 1], z[4 * i + 2], z[4 * i + 3]]);
    }
}

#[inline(always)]
fn lanes(f: impl Fn(usize) -> bool) -> u16 {
    // Bits first, then their sum: both halves are loops without dependence between lanes.
    let mut bits = [0u32; LANES];
    for (i, bit) in bits.iter_mut().enumerate() {
        *bit = u32::from(f(i)) << i;
    }
    bits.iter().fold(0, |mask, bit| mask | bit) as u16
}

#[inline(always)]
fn key(a: u32) -> i32 {
    let sign = a as i32 >> 31;
    ((a & 0x7fff_ffff) as i32 ^ sign).wrapping_sub(sign)
}

#[inline(always)]
fn magnitude(a: u32) -> i32 {
    (a & 0x7fff_ffff) as i32
}

/// The value itself, or +0 for zeros and denormals.
#[inline(always)]
fn flushed(a: u32) -> u32 {
    if a & 0x7f80_0000 == 0 { 0 } else { a }
}

/// a + (b ^ flip), truncated. The rounded sum of two floats has an error that is itself a float (Knuth's two-sum): where
/// that error points toward zero, rounding went away from zero, and the float before is the truncated sum.
#[inline(always)]
fn fadd(a: &Lanes, b: &Lanes, flip: u32, out: &mut Lanes) {
    let mut special = 0;
    for i in 0..LANES {
        let (x, y) = (flushed(a.0[i]), flushed(b.0[i] ^ flip));
        let (fx, fy) = (f32::from_bits(x), f32::from_bits(y));
        let sum = fx + fy;
        let part = sum - fx;
        let error = (fx - (sum - part)) + (fy - part);
        let bits = sum.to_bits();
        let away = u32::from(error != 0.0) & ((error.to_bits() ^ bits) >> 31);
        out.0[i] = flushed(bits.wrapping_sub(away));
        // A sum of infinity may have been rounded up to it; infinite and NaN operands have rules of their own.
        special |= u32::from(bits & 0x7f80_0000 == 0x7f80_0000);
    }
    if special != 0 {
        each(a, b, out, |a, b| alu::fadd(a, b ^ flip));
    }
}

/// a * b, truncated: the product of two floats is exact as an f64.
#[inline(always)]
fn fmul(a: &Lanes, b: &Lanes, out: &mut Lanes) {
    let mut special = 0;
    for i in 0..LANES {
        let (x, y) = (flushed(a.0[i]), flushed(b.0[i]));
        special |= u32::from(x & 0x7f80_0000 == 0x7f80_0000) | u32::from(y & 0x7f80_0000 == 0x7f80_0000);
        let product = f64::from(f32::from_bits(x)) * f64::from(f32::from_bits(y));
        out.0[i] = (cut(product) as f32).to_bits();
    }
    if special != 0 {
        each(a, b, out, alu::fmul);
    }
}

/// The value with 24 significant bits, truncated; +0 if it is below the smallest normal float. Conversion to f32 then is
/// exact, or infinite.
#[inline(always)]
fn cut(value: f64) -> f64 {
    let normal = 0u64.wrapping_sub(u64::from(value.abs() >= f64::from(f32::MIN_POSITIVE)));
    f64::from_bits(value.to_bits() & !0x1fff_ffff & normal)
}
