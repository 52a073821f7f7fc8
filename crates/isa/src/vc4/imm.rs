//! Small immediates: the 6-bit codes that replace the file B read address under signal 13 (guide p. 29).

/// A small immediate code, 0 to 63. The codes 48 to 63 rotate the result of the mul ALU as well; an operand that reads
/// them sees `code - 64` (measured by py-videocore's test_rotate; the guide is silent).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct SmallImm(pub u8);

/// By how much the mul ALU's result is rotated: element 0 moves to element n.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Rotation {
    /// By bits 3:0 of lane 0 of r5.
    R5,
    /// By this many elements, 1 to 15.
    By(u8),
}

impl SmallImm {
    /// The code for rotation by r5.
    pub const ROTATE_R5: SmallImm = SmallImm(48);

    /// The code whose operand value has exactly these 32 bits; never a rotation code.
    ///
    /// ```
    /// use quadra_isa::vc4::SmallImm;
    /// assert_eq!(SmallImm::from_bits(0xffff_fff0), Some(SmallImm(16)));
    /// assert_eq!(SmallImm::from_bits(0.5f32.to_bits()), Some(SmallImm(47)));
    /// assert_eq!(SmallImm::from_bits(16), None);
    /// ```
    pub const fn from_bits(bits: u32) -> Option<SmallImm> {
        match bits {
            0..=15 => Some(SmallImm(bits as u8)),
            0xffff_fff0.. => Some(SmallImm((bits & 31) as u8)),
            _ if bits & 0x007f_ffff == 0 => match bits >> 23 {
                exponent @ 127..=134 => Some(SmallImm((exponent - 127 + 32) as u8)),
                exponent @ 119..=126 => Some(SmallImm((exponent - 119 + 40) as u8)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The code for an integer of -16 to 15.
    pub const fn from_int(value: i32) -> Option<SmallImm> {
        if value >= -16 && value <= 15 { Some(SmallImm((value & 31) as u8)) } else { None }
    }

    /// The code for a power of two of 1/256 to 128.
    pub const fn from_float(value: f32) -> Option<SmallImm> {
        match SmallImm::from_bits(value.to_bits()) {
            Some(code) if code.0 >= 32 => Some(code),
            _ => None,
        }
    }

    /// The code that rotates by `n` mod 16 elements upward; `None` for 0, which needs no code.
    pub const fn from_rotation(n: u8) -> Option<SmallImm> {
        match n & 15 {
            0 => None,
            n => Some(SmallImm(48 + n)),
        }
    }

    /// The 32 bits an operand reads.
    pub const fn bits(self) -> u32 {
        match self.0 & 63 {
            code @ 0..=15 => code as u32,
            code @ 16..=31 => (code as i32 - 32) as u32,
            code @ 32..=39 => (code as u32 - 32 + 127) << 23,
            code @ 40..=47 => (code as u32 + 127 - 48) << 23,
            code => (code as i32 - 64) as u32,
        }
    }

    /// Whether the code stands for a float rather than an integer or rotation.
    pub const fn is_float(self) -> bool {
        matches!(self.0, 32..=47)
    }

    /// The rotation of the mul ALU's result that the code asks for.
    pub const fn rotation(self) -> Option<Rotation> {
        match self.0 {
            48 => Some(Rotation::R5),
            n @ 49..=63 => Some(Rotation::By(n - 48)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_below_the_rotations_is_found_again() {
        for code in 0..48 {
            assert_eq!(SmallImm::from_bits(SmallImm(code).bits()), Some(SmallImm(code)));
        }
        assert_eq!(SmallImm(40).bits(), 0x3b80_0000);
        assert_eq!(SmallImm(39).bits(), 0x4300_0000);
        assert_eq!(SmallImm(52).bits() as i32, -12);
        assert_eq!(SmallImm(48).bits() as i32, -16);
        assert_eq!(SmallImm(63).rotation(), Some(Rotation::By(15)));
        assert_eq!(SmallImm::from_float(-1.0), None);
        assert_eq!(SmallImm::from_bits(0x3f80_0001), None);
    }
}
