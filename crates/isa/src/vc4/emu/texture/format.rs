//! The formats of texels: their size in memory, and the word that a lookup returns for them.

use crate::vc4::pack::{float_to_half, half_to_float};

/// Format of the texels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Rgba8888,
    Rgbx8888,
    Rgba4444,
    Rgba5551,
    Rgb565,
    Luminance8,
    Alpha8,
    LuminanceAlpha88,
    /// Blocks of 4 x 4 texels in 64 bits.
    Etc1,
    /// One half float; also the result.
    Half,
    /// One byte; also the result.
    Byte,
    /// One 16-bit integer; nearest only.
    Short,
    /// Four 16-bit components, delivered as two words; nearest only.
    Rgba64,
}

impl Format {
    /// The format with this number.
    ///
    /// # Errors
    /// Why a format is not emulated.
    pub fn from_code(code: u32) -> Result<Format, &'static str> {
        Ok(match code {
            0 | 16 => Format::Rgba8888,
            1 => Format::Rgbx8888,
            2 => Format::Rgba4444,
            3 => Format::Rgba5551,
            4 => Format::Rgb565,
            5 => Format::Luminance8,
            6 => Format::Alpha8,
            7 => Format::LuminanceAlpha88,
            8 => Format::Etc1,
            9 => Format::Half,
            10 => Format::Byte,
            11 => Format::Short,
            12..=14 => {
                return Err(
                    "formats of less than 8 bits per texel are not emulated: the order of their bits is not documented",
                );
            }
            15 => Format::Rgba64,
            17 => return Err("YUYV images are not emulated: how colours are converted is not documented"),
            _ => return Err("this image format is reserved"),
        })
    }

    /// Bytes of a texel, or of a compressed block.
    pub const fn bytes(self) -> u32 {
        match self {
            Format::Rgba8888 | Format::Rgbx8888 => 4,
            Format::Luminance8 | Format::Alpha8 | Format::Byte => 1,
            Format::Etc1 | Format::Rgba64 => 8,
            _ => 2,
        }
    }

    /// Texels or blocks of a microtile of 64 bytes: columns and rows.
    pub const fn tile(self) -> (u32, u32) {
        match self.bytes() {
            8 => (2, 4),
            4 => (4, 4),
            2 => (8, 4),
            _ => (8, 8),
        }
    }

    /// Texels along the side of what lies in one place.
    pub const fn block(self) -> u32 {
        if matches!(self, Format::Etc1) { 4 } else { 1 }
    }

    /// Whether several texels can be mixed.
    pub const fn filters(self) -> bool {
        !matches!(self, Format::Short | Format::Rgba64)
    }

    /// The words that a lookup returns for texel `x`, `y` of a block, or for a texel: four bytes red, green, blue, alpha
    /// from the lowest, or the element itself.
    pub fn expand(self, raw: u64, x: u32, y: u32) -> [u32; 2] {
        let word = raw as u32;
        let rgba = |r: u32, g: u32, b: u32, a: u32| r | g << 8 | b << 16 | a << 24;
        // A narrow component is widened by repeating its bits.
        let four = |v: u32| (v & 15) * 17;
        let six = |v: u32| (v & 63) << 2 | (v & 63) >> 4;
        let first = match self {
            Format::Rgba8888 => word,
            Format::Rgbx8888 => word | 0xff00_0000,
            Format::Rgba4444 => rgba(four(word >> 12), four(word >> 8), four(word >> 4), four(word)),
            Format::Rgba5551 => rgba(five(word >> 11), five(word >> 6), five(word >> 1), (word & 1) * 255),
            Format::Rgb565 => rgba(five(word >> 11), six(word >> 5), five(word), 255),
            Format::Luminance8 => rgba(word & 255, word & 255, word & 255, 255),
            Format::Alpha8 => rgba(0, 0, 0, word & 255),
            Format::LuminanceAlpha88 => rgba(word & 255, word & 255, word & 255, word >> 8 & 255),
            Format::Etc1 => etc1(raw, x, y),
            Format::Half | Format::Short => word & 0xffff,
            Format::Byte => word & 255,
            Format::Rgba64 => word,
        };
        [first, (raw >> 32) as u32]
    }

    /// The mean of texels, each with its weight.
    pub fn mean(self, texels: &[(u32, f64)]) -> u32 {
        if self == Format::Half {
            let value = |bits: u32| f64::from(f32::from_bits(half_to_float(bits)));
            let sum: f64 = texels.iter().map(|(t, w)| value(*t) * w).sum();
            return float_to_half((sum as f32).to_bits());
        }
        let byte = |n: u32| {
            let sum: f64 = texels.iter().map(|(t, w)| f64::from(t >> n & 255) * w).sum();
            ((sum + 0.5).floor() as u32).min(255) << n
        };
        byte(0) | byte(8) | byte(16) | byte(24)
    }
}

/// A component of five bits as a byte.
fn five(v: u32) -> u32 {
    (v & 31) << 3 | (v & 31) >> 2
}

/// What is added to the base colour, by codeword: the smaller and the larger step.
const ETC1_STEPS: [(i32, i32); 8] = [(2, 8), (5, 17), (9, 29), (13, 42), (18, 60), (24, 80), (33, 106), (47, 183)];

/// A texel of an ETC1 block (Khronos OES_compressed_ETC1_RGB8_texture). The bytes of a block are ordered from the most
/// significant one, its texels column by column.
fn etc1(raw: u64, x: u32, y: u32) -> u32 {
    let block = raw.swap_bytes();
    let field = |low: u32, bits: u32| (block >> low) as u32 & ((1 << bits) - 1);
    let (differential, flipped) = (field(33, 1) == 1, field(32, 1) == 1);
    // Two halves side by side, or, flipped, one above the other.
    let second = if flipped { y >= 2 } else { x >= 2 };
    let base = |low: u32| -> i32 {
        if !differential {
            return (field(if second { low } else { low + 4 }, 4) * 17) as i32;
        }
        let first = field(low + 3, 5);
        let step = (field(low, 3) as i32) << 29 >> 29;
        five(if second { (first as i32 + step) as u32 } else { first }) as i32
    };
    let (small, large) = ETC1_STEPS[field(if second { 34 } else { 37 }, 3) as usize];
    let texel = 4 * x + y;
    let step = if field(texel, 1) == 1 { large } else { small };
    let step = if field(texel + 16, 1) == 1 { -step } else { step };
    let component = |low: u32| (base(low) + step).clamp(0, 255) as u32;
    component(56) | component(48) << 8 | component(40) << 16 | 0xff00_0000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compressed_blocks() {
        // Differential, upright halves: base colours 15,16,17 and, two less in red, 13,16,17; codewords 0 and 7.
        let high: u32 = 15 << 27 | 6 << 24 | 16 << 19 | 17 << 11 | 7 << 2 | 1 << 1;
        // Texel (0, 0) has the large positive step, (3, 3) the large negative one; all others the small positive one.
        let low: u32 = 1 | 1 << 15 | 1 << 31;
        let raw = (u64::from(high) << 32 | u64::from(low)).swap_bytes();
        let texel = |x, y| Format::Etc1.expand(raw, x, y)[0];
        let color = |r: u32, g: u32, b: u32| r | g << 8 | b << 16 | 0xff00_0000;
        assert_eq!(texel(0, 0), color(123 + 8, 132 + 8, 140 + 8));
        assert_eq!(texel(1, 2), color(123 + 2, 132 + 2, 140 + 2));
        assert_eq!(texel(2, 0), color(107 + 47, 132 + 47, 140 + 47));
        assert_eq!(texel(3, 3), color(0, 0, 0));
        // Individual, flipped: 4-bit colours, the upper half above the lower.
        let high: u32 = 0x1234_5600 | 1;
        let raw = (u64::from(high) << 32).swap_bytes();
        let texel = |x, y| Format::Etc1.expand(raw, x, y)[0];
        assert_eq!((texel(3, 1), texel(0, 2)), (color(17 + 2, 51 + 2, 85 + 2), color(34 + 2, 68 + 2, 102 + 2)));
    }
}
