//! The operations of both ALUs on one lane, exact to the bit.
//!
//! Floats are rounded toward zero from the exact result, with two exceptions: a result of 2^128 or more becomes infinite
//! (IEEE's toward-zero mode would give the largest finite number), and there are no denormals and no negative zero:
//! as inputs both read as +0, as results both become +0. NaN never comes out of arithmetic; as an input it counts as an
//! infinity of its sign. Confirmed by 5,460 results recorded on hardware (the opcode test of the VC4C project), all of
//! which are tests here.
//!
//! This form works in integers and is written to be read. The engines have faster forms of the same functions, which
//! tests compare with these.

use crate::vc4::{AddOp, MulOp};

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7f80_0000;

/// What an ALU delivers for one lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Output {
    /// The 32-bit result, before packing. Flag Z is `bits == 0`, flag N is bit 31.
    pub bits: u32,
    /// Flag C.
    pub carry: bool,
    /// Signed overflow, which only packing looks at and only integer add and sub can raise.
    pub overflow: bool,
}

impl Output {
    const fn new(bits: u32, carry: bool) -> Output {
        Output { bits, carry, overflow: false }
    }
}

/// The add ALU. Unary operations ignore `b`; [`AddOp::Nop`] gives 0.
pub fn add_op(op: AddOp, a: u32, b: u32) -> Output {
    let (sa, sb) = (a as i32, b as i32);
    match op {
        AddOp::Nop => Output::new(0, false),
        AddOp::Fadd => with_sign_carry(fadd(a, b)),
        AddOp::Fsub => with_sign_carry(fsub(a, b)),
        AddOp::Fmin => Output::new(fmin(a, b), float_key(a) > float_key(b)),
        AddOp::Fmax => Output::new(fmax(a, b), float_key(a) > float_key(b)),
        AddOp::Fminabs => Output::new(fmin(a & !SIGN, b & !SIGN), a & !SIGN > b & !SIGN),
        AddOp::Fmaxabs => Output::new(fmax(a & !SIGN, b & !SIGN), a & !SIGN > b & !SIGN),
        AddOp::Ftoi => Output::new(ftoi(a), false),
        AddOp::Itof => Output::new(itof(a), sa > 0),
        AddOp::Add => {
            let (bits, carry) = a.overflowing_add(b);
            Output { bits, carry, overflow: sa.overflowing_add(sb).1 }
        }
        AddOp::Sub => Output { bits: a.wrapping_sub(b), carry: a < b, overflow: sa.overflowing_sub(sb).1 },
        AddOp::Shr => Output::new(a >> (b & 31), last_bit_right(a, b)),
        AddOp::Asr => Output::new((sa >> (b & 31)) as u32, last_bit_right(a, b)),
        AddOp::Ror => Output::new(a.rotate_right(b & 31), false),
        AddOp::Shl => Output::new(a << (b & 31), u64::from(a) << (b & 31) >> 32 & 1 == 1),
        AddOp::Min => Output::new(sa.min(sb) as u32, sa > sb),
        AddOp::Max => Output::new(sa.max(sb) as u32, sa > sb),
        AddOp::And => Output::new(a & b, false),
        AddOp::Or => Output::new(a | b, false),
        AddOp::Xor => Output::new(a ^ b, false),
        AddOp::Not => Output::new(!a, false),
        AddOp::Clz => Output::new(a.leading_zeros(), false),
        AddOp::V8adds => Output::new(v8adds(a, b), false),
        AddOp::V8subs => Output::new(v8subs(a, b), false),
    }
}

/// The mul ALU. [`MulOp::Nop`] gives 0. The carry of `mul24` says that the product needs more than 24 bits, as vc4asm's
/// documentation has it; no recording confirms this.
pub fn mul_op(op: MulOp, a: u32, b: u32) -> Output {
    let bytes = |f: fn(u8, u8) -> u8| Output::new(per_byte(a, b, f), false);
    match op {
        MulOp::Nop => Output::new(0, false),
        MulOp::Fmul => Output::new(fmul(a, b), false),
        MulOp::Mul24 => {
            let product = u64::from(a & 0xff_ffff) * u64::from(b & 0xff_ffff);
            Output::new(product as u32, product > 0xff_ffff)
        }
        MulOp::V8muld => bytes(|x, y| ((u32::from(x) * u32::from(y) + 127) / 255) as u8),
        MulOp::V8min => bytes(u8::min),
        MulOp::V8max => bytes(u8::max),
        MulOp::V8adds => bytes(u8::saturating_add),
        MulOp::V8subs => bytes(u8::saturating_sub),
    }
}

/// a + b, truncated toward zero from the exact sum.
pub fn fadd(a: u32, b: u32) -> u32 {
    let (a, b) = (flush(a), flush(b));
    if exponent(b) == 255 {
        return b & SIGN | INFINITY;
    }
    if exponent(a) == 255 {
        return a & SIGN | INFINITY;
    }
    if a & !SIGN == 0 || b & !SIGN == 0 {
        return a | b;
    }
    let (big, small) = if a & !SIGN >= b & !SIGN { (a, b) } else { (b, a) };
    // Both mantissas as fixed point with 100 bits below the larger one's last bit: exact up to a gap of 100 exponents;
    // beyond, any value between 0 and one unit stands for the smaller operand, since only its sign can matter.
    let gap = exponent(big) - exponent(small);
    let large = i128::from(mantissa(big)) << 100;
    let little = if gap <= 100 { i128::from(mantissa(small)) << (100 - gap) } else { 1 };
    let sum = if (a ^ b) & SIGN == 0 { large + little } else { large - little };
    truncate(big & SIGN, sum as u128, exponent(big) as i32 - 100)
}

/// a - b: [`fadd`] with the sign of b flipped.
pub fn fsub(a: u32, b: u32) -> u32 {
    fadd(a, b ^ SIGN)
}

/// a * b, truncated toward zero from the exact product. A zero or denormal factor gives +0 whatever the other is.
pub fn fmul(a: u32, b: u32) -> u32 {
    let sign = (a ^ b) & SIGN;
    if exponent(a) == 0 || exponent(b) == 0 {
        return 0;
    }
    if exponent(a) == 255 || exponent(b) == 255 {
        return sign | INFINITY;
    }
    let product = u128::from(mantissa(a)) * u128::from(mantissa(b));
    truncate(sign, product, exponent(a) as i32 + exponent(b) as i32 - 150)
}

/// The float `value * 2^(unit - 150)`, truncated to 24 significant bits.
fn truncate(sign: u32, value: u128, unit: i32) -> u32 {
    if value == 0 {
        return 0;
    }
    let top = 127 - value.leading_zeros() as i32;
    let mantissa = if top >= 23 { value >> (top - 23) } else { value << (23 - top) } as u32;
    match unit + top - 23 {
        ..1 => 0,
        exponent @ 1..255 => sign | (exponent as u32) << 23 | mantissa & 0x7f_ffff,
        _ => sign | INFINITY,
    }
}

/// The smaller by [`float_key`], bits unchanged; `a` if equal.
pub fn fmin(a: u32, b: u32) -> u32 {
    if float_key(a) > float_key(b) { b } else { a }
}

/// The larger by [`float_key`], bits unchanged; `b` if equal.
pub fn fmax(a: u32, b: u32) -> u32 {
    if float_key(a) > float_key(b) { a } else { b }
}

/// An integer that orders floats as the hardware does: -NaN < -Inf < … < -0 = +0 < … < Inf < NaN.
pub fn float_key(a: u32) -> i32 {
    let magnitude = (a & !SIGN) as i32;
    if a & SIGN == 0 { magnitude } else { -magnitude }
}

/// Truncates to a signed integer; NaN, infinities and magnitudes of 2^31 or more give 0.
pub fn ftoi(a: u32) -> u32 {
    let magnitude = match exponent(a) {
        ..127 | 158.. => 0,
        e if e >= 150 => mantissa(a) << (e - 150),
        e => mantissa(a) >> (150 - e),
    };
    if a & SIGN == 0 { magnitude } else { magnitude.wrapping_neg() }
}

/// The float of a signed integer, truncated toward zero.
pub fn itof(a: u32) -> u32 {
    truncate(a & SIGN, u128::from((a as i32).unsigned_abs()), 150)
}

/// Four byte additions, saturating at 255.
pub fn v8adds(a: u32, b: u32) -> u32 {
    per_byte(a, b, u8::saturating_add)
}

/// Four byte subtractions, saturating at 0.
pub fn v8subs(a: u32, b: u32) -> u32 {
    per_byte(a, b, u8::saturating_sub)
}

fn per_byte(a: u32, b: u32, f: fn(u8, u8) -> u8) -> u32 {
    let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
    u32::from_le_bytes(std::array::from_fn(|i| f(a[i], b[i])))
}

fn with_sign_carry(bits: u32) -> Output {
    Output::new(bits, bits as i32 > 0)
}

/// The last bit that a right shift by `b & 31` pushes out; clear for a shift by 0.
fn last_bit_right(a: u32, b: u32) -> bool {
    (u64::from(a) << 1) >> (b & 31) & u64::from(b & 31 != 0) == 1
}

/// +0 for denormals and -0, else the value itself.
pub fn flush(a: u32) -> u32 {
    if exponent(a) == 0 { 0 } else { a }
}

fn exponent(a: u32) -> u32 {
    a >> 23 & 255
}

/// The 24-bit mantissa of a normal number.
fn mantissa(a: u32) -> u32 {
    a & 0x7f_ffff | 0x80_0000
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(op: &str, a: u32, b: u32) -> Output {
        let op = op.to_lowercase();
        match AddOp::from_mnemonic(&op) {
            Some(op) => add_op(op, a, b),
            None => mul_op(MulOp::from_mnemonic(&op).expect("an operation of either ALU"), a, b),
        }
    }

    #[test]
    fn every_recorded_result_and_flag() {
        let rows = include_str!("../../../tests/data/opcode.csv");
        let mut count = 0;
        for row in rows.lines().skip(1) {
            let cells: Vec<&str> = row.split(',').collect();
            let hex = |i: usize| u32::from_str_radix(cells[i], 16).expect("hexadecimal");
            let out = recorded(cells[0], hex(1), hex(2));
            assert_eq!(out.bits, hex(3), "{row}");
            // The flags of operations that only the mul ALU has are not valid in the recording.
            if AddOp::from_mnemonic(&cells[0].to_lowercase()).is_some() {
                let flags = [(out.bits as i32 >= 0, "", "n"), (!out.carry, "", "c"), (out.bits != 0, "", "z")];
                let flags: String = flags.iter().map(|(clear, off, on)| if *clear { *off } else { *on }).collect();
                assert_eq!(flags, cells[5], "{row}");
            }
            count += 1;
        }
        assert_eq!(count, 5460);
    }

    #[test]
    fn byte_operations_of_the_mul_alu_are_those_of_the_add_alu() {
        for (a, b) in [(0x7fff_ffff, 0x80), (0x3f80_0000, 0xbf80_0000), (0x0102_03ff, 0xff03_0201)] {
            assert_eq!(mul_op(MulOp::V8adds, a, b), add_op(AddOp::V8adds, a, b));
            assert_eq!(mul_op(MulOp::V8subs, a, b), add_op(AddOp::V8subs, a, b));
        }
    }

    #[test]
    fn sums_are_truncated_with_an_exact_sticky_bit() {
        assert_eq!(fadd(0x3f80_0000, 0x9000_0000), 0x3f7f_ffff, "1 - 2.5e-29");
        assert_eq!(fadd(0xbf80_0000, 0x1000_0000), 0xbf7f_ffff, "-1 + 2.5e-29");
        assert_eq!(fadd(0x7f7f_ffff, 0x7f7f_ffff), INFINITY, "overflow is infinite");
        assert_eq!(fadd(0x7f7f_ffff, 0x7300_0000), 0x7f7f_ffff, "half a unit above the largest is cut off");
        assert_eq!(fadd(0x0080_0001, 0x8080_0000), 0, "a denormal difference becomes +0");
        assert_eq!(fadd(0x0080_0000, 0x8100_0000), 0x8080_0000);
    }

    #[test]
    fn products_are_truncated() {
        assert_eq!(fmul(0x3f80_0001, 0x3f80_0001), 0x3f80_0002);
        assert_eq!(fmul(0x3fff_ffff, 0xbfff_ffff), 0xc07f_fffe);
        assert_eq!(fmul(0x0080_0000, 0xbf00_0000), 0, "underflow has no sign");
        assert_eq!(fmul(0x7f7f_ffff, 0x3f80_0000), 0x7f7f_ffff);
        assert_eq!(fmul(0x0040_0000, 0x7fc0_0000), 0, "a denormal beats NaN");
    }

    #[test]
    fn conversions_cut_off() {
        for (float, int) in [(2.99f32, 2), (-2.99, -2), (0.5, 0), (-2147483520.0, -2147483520), (2147483648.0, 0)] {
            assert_eq!(ftoi(float.to_bits()) as i32, int, "{float}");
        }
        assert_eq!(itof(0x0100_0001), 16_777_216f32.to_bits());
        assert_eq!(itof((-0x0100_0003i32) as u32), (-16_777_218f32).to_bits());
        assert_eq!(itof(0x8000_0000), (-2_147_483_648f32).to_bits());
    }
}
