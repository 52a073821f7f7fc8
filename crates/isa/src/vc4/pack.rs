//! Sub-word formats: unpacking of operands and packing of results (guide p. 31-32).
//!
//! Bit `pm` of the word chooses where they act. With `pm` clear, unpack applies to every operand read from file A and
//! pack to the result written to file A, whichever ALU it comes from. With `pm` set, unpack applies to every operand r4
//! (always as a float) and pack to the result of the mul ALU, as a colour 0.0 to 1.0 to byte 0 to 255.

/// What part of an operand is used, and how it becomes 32 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum Unpack {
    /// All 32 bits.
    None = 0,
    /// The low half: sign extended, or a half float where the consumer takes floats.
    H16a = 1,
    /// The high half, likewise.
    H16b = 2,
    /// The highest byte in all four bytes.
    D8r = 3,
    /// The lowest byte: zero extended, or divided by 255 where the consumer takes floats.
    B8a = 4,
    /// Byte 1, likewise.
    B8b = 5,
    /// Byte 2, likewise.
    B8c = 6,
    /// Byte 3, likewise.
    B8d = 7,
}

impl Unpack {
    /// Every unpack mode in the order of the codes.
    pub const ALL: [Unpack; 8] =
        [Unpack::None, Unpack::H16a, Unpack::H16b, Unpack::D8r, Unpack::B8a, Unpack::B8b, Unpack::B8c, Unpack::B8d];

    /// The mode with this code (bits 2:0 count).
    pub const fn from_code(code: u8) -> Unpack {
        Unpack::ALL[(code & 7) as usize]
    }

    /// The code in the instruction word.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The suffix in assembly text, without the dot; empty for [`Unpack::None`].
    pub const fn suffix(self) -> &'static str {
        ["", "16a", "16b", "8dr", "8a", "8b", "8c", "8d"][self as usize]
    }

    /// The mode with this suffix (without the dot).
    pub fn from_suffix(text: &str) -> Option<Unpack> {
        Unpack::ALL.into_iter().find(|u| *u != Unpack::None && u.suffix() == text)
    }
}

/// Into what part of the destination a result goes, and how it is narrowed. The names are those of the file A packer;
/// with `pm` set only [`Pack::None`], [`Pack::B8888`], [`Pack::B8a`] to [`Pack::B8d`] are defined, and
/// [`Pack::B8888s`], which vc4asm emits for [`Pack::B8888`] and hardware takes as the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum Pack {
    /// All 32 bits.
    None = 0,
    /// Into the low half: the low 16 bits, or a half float of a float result.
    H16a = 1,
    /// Into the high half, likewise.
    H16b = 2,
    /// The low byte into all four bytes.
    B8888 = 3,
    /// The low byte into byte 0.
    B8a = 4,
    /// The low byte into byte 1.
    B8b = 5,
    /// The low byte into byte 2.
    B8c = 6,
    /// The low byte into byte 3.
    B8d = 7,
    /// All 32 bits, an overflowing addition saturated.
    S32s = 8,
    /// Into the low half, saturated to a signed 16-bit integer (or a half float).
    H16as = 9,
    /// Into the high half, likewise.
    H16bs = 10,
    /// Into all four bytes, saturated to 0..255.
    B8888s = 11,
    /// Into byte 0, saturated to 0..255.
    B8as = 12,
    /// Into byte 1, saturated to 0..255.
    B8bs = 13,
    /// Into byte 2, saturated to 0..255.
    B8cs = 14,
    /// Into byte 3, saturated to 0..255.
    B8ds = 15,
}

impl Pack {
    /// Every pack mode in the order of the codes.
    pub const ALL: [Pack; 16] = [
        Pack::None,
        Pack::H16a,
        Pack::H16b,
        Pack::B8888,
        Pack::B8a,
        Pack::B8b,
        Pack::B8c,
        Pack::B8d,
        Pack::S32s,
        Pack::H16as,
        Pack::H16bs,
        Pack::B8888s,
        Pack::B8as,
        Pack::B8bs,
        Pack::B8cs,
        Pack::B8ds,
    ];

    /// The mode with this code (bits 3:0 count).
    pub const fn from_code(code: u8) -> Pack {
        Pack::ALL[(code & 15) as usize]
    }

    /// The code in the instruction word.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The suffix in assembly text, without the dot; empty for [`Pack::None`].
    pub const fn suffix(self) -> &'static str {
        ["", "16a", "16b", "8888", "8a", "8b", "8c", "8d", "32s", "16as", "16bs", "8888s", "8as", "8bs", "8cs", "8ds"]
            [self as usize]
    }

    /// The mode with this suffix (without the dot).
    pub fn from_suffix(text: &str) -> Option<Pack> {
        Pack::ALL.into_iter().find(|p| *p != Pack::None && p.suffix() == text)
    }

    /// Whether the mode exists for the result of the mul ALU (`pm` set).
    pub const fn valid_for_mul(self) -> bool {
        // The hardware ignores bit 3, which says "saturate" to the packer of file A: colours always do. Assemblers set it.
        self.code() == 0 || matches!(self.code() & 7, 3..=7)
    }

    /// Whether the mode leaves a part of the destination as it was.
    pub const fn is_partial(self) -> bool {
        !matches!(self, Pack::None | Pack::B8888 | Pack::S32s | Pack::B8888s)
    }
}

/// The float of a half float in the low 16 bits. A mantissa without exponent, or with the exponent of an infinity, comes
/// out as it is: as a denormal, which the next operation reads as 0, or as a NaN.
pub fn half_to_float(bits: u32) -> u32 {
    let (sign, exponent, mantissa) = ((bits & 0x8000) << 16, bits >> 10 & 31, (bits & 0x3ff) << 13);
    match exponent {
        0 => sign | mantissa,
        31 => sign | 0x7f80_0000 | mantissa,
        _ => sign | (exponent + 127 - 15) << 23 | mantissa,
    }
}

/// The half float of a float: rounded away from zero when any bit is dropped; too large, infinite or NaN becomes infinite;
/// below the smallest normal half becomes +0.
pub fn float_to_half(bits: u32) -> u32 {
    let (sign, magnitude) = (bits >> 16 & 0x8000, bits & 0x7fff_ffff);
    if magnitude >= 0x7f80_0000 {
        return sign | 0x7c00;
    }
    let rounded = (magnitude + 0x1fff) & !0x1fff;
    if rounded < (127 - 14) << 23 {
        return 0;
    }
    let half = (rounded >> 13) - ((127 - 15) << 10);
    sign | half.min(0x7c00)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_and_codes_agree() {
        for code in 0..16 {
            let pack = Pack::from_code(code);
            assert_eq!(pack.code(), code);
            assert_eq!(Pack::from_suffix(pack.suffix()), (code != 0).then_some(pack));
        }
        for code in 0..8 {
            let unpack = Unpack::from_code(code);
            assert_eq!(unpack.code(), code);
            assert_eq!(Unpack::from_suffix(unpack.suffix()), (code != 0).then_some(unpack));
        }
        let for_mul: Vec<u8> = (0..16).filter(|c| Pack::from_code(*c).valid_for_mul()).collect();
        assert_eq!(for_mul, [0, 3, 4, 5, 6, 7, 11, 12, 13, 14, 15]);
    }
}
