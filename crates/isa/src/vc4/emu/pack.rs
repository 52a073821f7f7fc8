//! Sub-word formats on one lane: unpacking of operands, packing of results. Each recorded hardware value is a test.

use super::alu::Output;
use crate::vc4::pack::{float_to_half, half_to_float};
use crate::vc4::{Pack, Unpack};

/// The operand that an unpack code makes of `value`: in the float form for file A operands of float operations and always
/// for r4, else in the integer form.
pub fn unpack(code: Unpack, value: u32, float: bool) -> u32 {
    let byte = |n: u32| if float { byte_to_float(value >> (8 * n)) } else { value >> (8 * n) & 255 };
    let half = |bits: u32| if float { half_to_float(bits) } else { bits as u16 as i16 as u32 };
    match code.code() {
        0 => value,
        1 => half(value),
        2 => half(value >> 16),
        3 => (value >> 24) * 0x0101_0101,
        n => byte(u32::from(n) - 4),
    }
}

/// The low byte divided by 255, truncated to 24 bits.
pub fn byte_to_float(bits: u32) -> u32 {
    let byte = bits & 255;
    if byte == 0 {
        return 0;
    }
    // The quotient has more than 24 bits for every byte but 0 and 255, so that this division and cut are exact.
    let quotient = (u64::from(byte) << 40) / 255;
    let top = 63 - quotient.leading_zeros();
    (top + 127 - 40) << 23 | (quotient >> (top - 23)) as u32 & 0x7f_ffff
}

/// What packing for file A (`pm` clear) puts into a register that held `old`. `float` says that the operation's result is
/// a float, which the 16-bit codes turn into a half float.
pub fn pack_a(code: Pack, old: u32, out: Output, float: bool) -> u32 {
    let bits = out.bits;
    // What an overflowing integer operation saturates to: the carry chooses the side, which is right for add and wrong
    // for sub, as recorded.
    let limit = if out.carry { 0x8000_0000u32 } else { 0x7fff_ffff };
    let half = |saturate: bool| match (float, saturate, out.overflow) {
        (true, ..) => float_to_half(bits),
        (false, false, false) => bits & 0xffff,
        (false, false, true) => limit >> 16,
        (false, true, overflow) => {
            let clamped = (bits as i32).clamp(-0x8000, 0x7fff) as u32;
            let fits = clamped == bits;
            if overflow { limit >> 16 & if fits { 0xffff } else { clamped } } else { clamped & 0xffff }
        }
    } & 0xffff;
    let byte = |saturate: bool| match (saturate, out.overflow) {
        (false, false) => bits & 255,
        (false, true) => limit & 255,
        (true, overflow) => {
            let clamped = (bits as i32).clamp(0, 255) as u32;
            let fits = clamped == bits;
            if overflow { limit & 255 & if fits { 255 } else { clamped } } else { clamped }
        }
    };
    let saturate = code.code() & 8 != 0;
    match code.code() & 7 {
        0 if saturate && out.overflow => limit,
        0 => bits,
        1 => old & 0xffff_0000 | half(saturate),
        2 => old & 0x0000_ffff | half(saturate) << 16,
        3 => byte(saturate) * 0x0101_0101,
        n => insert_byte(old, u32::from(n) - 4, byte(saturate)),
    }
}

/// What packing of the mul result (`pm` set) puts into a destination that held `old`: the float times 255, rounded and
/// saturated to a byte. Code 11, vc4asm's replicate form, acts as code 3.
pub fn pack_mul(code: Pack, old: u32, bits: u32) -> u32 {
    match code.code() & 7 {
        3 => float_to_byte(bits) * 0x0101_0101,
        n @ 4..=7 => insert_byte(old, u32::from(n) - 4, float_to_byte(bits)),
        _ => bits,
    }
}

/// round(f * 255), saturated to 0..=255; NaN counts as an infinity of its sign.
pub fn float_to_byte(bits: u32) -> u32 {
    match bits >> 23 {
        256.. => 0,
        127.. => 255,
        // Below 2^-9 the product is below one half.
        ..118 => 0,
        exponent => {
            let scaled = u64::from(bits & 0x7f_ffff | 0x80_0000) * 255;
            let shift = 150 - exponent;
            ((scaled + (1 << (shift - 1))) >> shift).min(255) as u32
        }
    }
}

fn insert_byte(old: u32, n: u32, byte: u32) -> u32 {
    old & !(255 << (8 * n)) | byte << (8 * n)
}

#[cfg(test)]
mod tests {
    use super::super::alu;
    use super::*;
    use crate::vc4::{AddOp, MulOp};

    fn cells(row: &str) -> (Vec<&str>, Vec<u32>) {
        let cells: Vec<&str> = row.split(',').collect();
        let words = cells.iter().map(|c| u32::from_str_radix(c, 16).unwrap_or(0)).collect();
        (cells, words)
    }

    #[test]
    fn every_recorded_pack() {
        // The columns' codes: 32s, then each format saturating and plain.
        let codes = [8, 9, 1, 10, 2, 12, 4, 13, 5, 14, 6, 15, 7, 11, 3];
        let mut count = 0;
        for row in include_str!("../../../tests/data/pack.csv").lines().skip(1) {
            let (names, words) = cells(row);
            let name = names[0].to_lowercase();
            let (out, float) = match (AddOp::from_mnemonic(&name), MulOp::from_mnemonic(&name)) {
                (Some(op), _) => (alu::add_op(op, words[1], words[2]), op.gives_float()),
                (None, Some(op)) => (alu::mul_op(op, words[1], words[2]), op.gives_float()),
                _ => panic!("{row}"),
            };
            for (code, expected) in codes.iter().zip(&words[4..]) {
                let got = pack_a(Pack::from_code(*code), 0, out, float);
                assert_eq!(got, *expected, "code {code} of {row}");
                count += 1;
            }
        }
        assert_eq!(count, 5460 * 15);
    }

    #[test]
    fn every_recorded_unpack() {
        let columns = [(0, false), (1, false), (2, false), (3, false), (4, false), (5, false), (6, false), (7, false)];
        let float_columns = [(1, true), (2, true), (3, true), (4, true), (5, true), (6, true), (7, true)];
        for row in include_str!("../../../tests/data/unpack.csv").lines().skip(1) {
            let (_, words) = cells(row);
            for ((code, float), expected) in columns.iter().chain(&float_columns).zip(&words[1..]) {
                let got = unpack(Unpack::from_code(*code), words[0], *float);
                assert_eq!(got, *expected, "code {code} float {float} of {row}");
            }
        }
    }

    #[test]
    fn partial_packs_keep_the_other_bytes() {
        let out = |bits| Output { bits, carry: false, overflow: false };
        assert_eq!(pack_a(Pack::from_code(2), 0x1111_2222, out(0x3344_5566), false), 0x5566_2222);
        assert_eq!(pack_a(Pack::from_code(5), 0x1111_2222, out(0x3344_5566), false), 0x1111_6622);
        assert_eq!(pack_mul(Pack::from_code(6), 0x1111_2222, 1f32.to_bits()), 0x11ff_2222);
    }

    #[test]
    fn colour_packs_round_and_saturate() {
        let cases = [(0.5f32, 128), (1.0 / 256.0, 1), (0.0, 0), (-1.0, 0), (1.5, 255), (0.999, 255), (0.0019, 0)];
        for (float, byte) in cases {
            assert_eq!(float_to_byte(float.to_bits()), byte, "{float}");
        }
        for byte in 0..256u32 {
            assert_eq!(float_to_byte((byte as f32 / 255.0).to_bits()), byte);
        }
    }

    #[test]
    fn half_floats_round_away_from_zero() {
        assert_eq!(float_to_half(0x3f80_0001), 0x3c01);
        assert_eq!(float_to_half(0xbf80_0001), 0xbc01);
        assert_eq!(float_to_half(65504f32.to_bits()), 0x7bff);
        assert_eq!(float_to_half(65505f32.to_bits()), 0x7c00);
        assert_eq!(float_to_half(0x8000_0000), 0);
    }
}
