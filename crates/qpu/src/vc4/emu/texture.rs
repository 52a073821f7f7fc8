//! Texture lookups: images read by coordinates, with the access modes and filters of the TMU (guide p. 39-45).
//!
//! Exact are addresses, wrapping and nearest lookups. Bilinear results are the right mean of four texels rounded to the
//! nearest value of the format; the hardware's weights have fewer bits, how many is not documented. The filter for
//! magnification is always the one used and only the base level is read: images with mip levels are refused, as are cube
//! maps and compressed formats.

use super::fault::{Access, FaultKind};
use super::memory::Memory;
use super::pack::{float_to_half, half_to_float};
use super::{LANES, Lanes};

/// How a coordinate outside the image is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrap {
    Repeat,
    Clamp,
    Mirror,
    /// Outside texels have the border colour.
    Border,
}

impl Wrap {
    const fn from_code(code: u32) -> Wrap {
        match code & 3 {
            0 => Wrap::Repeat,
            1 => Wrap::Clamp,
            2 => Wrap::Mirror,
            _ => Wrap::Border,
        }
    }

    /// The texel index in `0..size` for index `i`; `None` for the border.
    fn index(self, i: i64, size: u32) -> Option<u32> {
        let size = i64::from(size);
        let index = match self {
            Wrap::Repeat => i.rem_euclid(size),
            Wrap::Clamp => i.clamp(0, size - 1),
            Wrap::Mirror => {
                let i = i.rem_euclid(2 * size);
                if i < size { i } else { 2 * size - 1 - i }
            }
            Wrap::Border if (0..size).contains(&i) => i,
            Wrap::Border => return None,
        };
        Some(index as u32)
    }
}

/// Format of the texels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Rgba8888,
    Rgbx8888,
    Rgba4444,
    Rgba5551,
    Rgb565,
    Luminance8,
    Alpha8,
    LuminanceAlpha88,
    /// One half float; also the result.
    Half,
    /// One byte; also the result.
    Byte,
    /// One 16-bit integer; nearest only.
    Short,
}

impl Format {
    const fn bytes(self) -> u32 {
        match self {
            Format::Rgba8888 | Format::Rgbx8888 => 4,
            Format::Luminance8 | Format::Alpha8 | Format::Byte => 1,
            _ => 2,
        }
    }
}

/// An image and how it is read, from the parameter words 0 and 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Texture {
    base: u32,
    width: u32,
    height: u32,
    format: Format,
    raster: bool,
    flip_y: bool,
    nearest: bool,
    wrap_s: Wrap,
    wrap_t: Wrap,
}

impl Texture {
    /// The texture that two parameter words describe.
    ///
    /// # Errors
    /// What the words ask for that is not emulated.
    pub fn from_params(first: u32, second: u32) -> Result<Texture, FaultKind> {
        let refuse = |about| Err(FaultKind::Texture(about));
        let kind = first >> 4 & 15 | (second >> 31) << 4;
        let format = match kind {
            0 | 16 => Format::Rgba8888,
            1 => Format::Rgbx8888,
            2 => Format::Rgba4444,
            3 => Format::Rgba5551,
            4 => Format::Rgb565,
            5 => Format::Luminance8,
            6 => Format::Alpha8,
            7 => Format::LuminanceAlpha88,
            9 => Format::Half,
            10 => Format::Byte,
            11 => Format::Short,
            _ => return refuse("this image format is not emulated"),
        };
        if first >> 9 & 1 == 1 {
            return refuse("cube maps are not emulated");
        }
        if first & 15 != 0 {
            return refuse("mip levels are not emulated");
        }
        let size = |field: u32| if field & 0x7ff == 0 { 2048 } else { field & 0x7ff };
        let nearest = second >> 7 & 1 == 1;
        if format == Format::Short && !nearest {
            return refuse("16-bit integers cannot be filtered");
        }
        Ok(Texture {
            base: first & !0xfff,
            width: size(second >> 8),
            height: size(second >> 20),
            format,
            raster: kind == 16,
            flip_y: first >> 8 & 1 == 1,
            nearest,
            wrap_s: Wrap::from_code(second),
            wrap_t: Wrap::from_code(second >> 2),
        })
    }

    /// Byte address of a texel.
    fn address(&self, x: u32, y: u32) -> u32 {
        let bytes = self.format.bytes();
        if self.raster {
            return self.base.wrapping_add((y * self.width + x) * bytes);
        }
        // A microtile holds 64 bytes: 4 x 4, 8 x 4 or 8 x 8 texels.
        let (tile_w, tile_h) = match bytes {
            4 => (4, 4),
            2 => (8, 4),
            _ => (8, 8),
        };
        let inside = (y % tile_h * tile_w + x % tile_w) * bytes;
        let (tx, ty) = (x / tile_w, y / tile_h);
        let offset = if self.width <= 4 * tile_w || self.height <= 4 * tile_h {
            // Small images: microtiles row by row.
            (ty * self.width.div_ceil(tile_w) + tx) * 64
        } else {
            tiled(tx, ty, self.width.div_ceil(8 * tile_w))
        };
        self.base.wrapping_add(offset + inside)
    }

    /// Looks up one lane; gives the result word and the address of the first texel read.
    fn lookup(&self, s: f32, t: f32, border: u32, memory: &mut Memory) -> Result<(u32, u32), (FaultKind, u32)> {
        // Coordinates far outside stay where integers can follow; NaN reads as 0.
        let at = |coordinate: f32, size: u32| (f64::from(coordinate) * f64::from(size)).clamp(-1e12, 1e12);
        let (u, v) = (at(s, self.width), at(t, self.height));
        if self.nearest {
            return self.texel(u.floor() as i64, v.floor() as i64, border, memory);
        }
        let (u, v) = (u - 0.5, v - 0.5);
        let (x, y) = (u.floor(), v.floor());
        let (fx, fy) = (u - x, v - y);
        let mut texels = [0; 4];
        let mut first = 0;
        for (i, texel) in texels.iter_mut().enumerate() {
            let (value, address) = self.texel(x as i64 + (i as i64 & 1), y as i64 + (i as i64 >> 1), border, memory)?;
            *texel = value;
            first = if i == 0 { address } else { first };
        }
        let weights = [(1.0 - fx) * (1.0 - fy), fx * (1.0 - fy), (1.0 - fx) * fy, fx * fy];
        Ok((self.mean(texels, weights), first))
    }

    /// The result word of texel `x`, `y`, which may lie outside.
    fn texel(&self, x: i64, y: i64, border: u32, memory: &mut Memory) -> Result<(u32, u32), (FaultKind, u32)> {
        let (Some(x), Some(y)) = (self.wrap_s.index(x, self.width), self.wrap_t.index(y, self.height)) else {
            return Ok((border, self.base));
        };
        let y = if self.flip_y { self.height - 1 - y } else { y };
        let address = self.address(x, y);
        let (word, _) = memory.cached_word(address & !3, Access::Tmu).map_err(|kind| (kind, address))?;
        Ok((self.expand(word >> (address % 4 * 8)), address))
    }

    /// The word that a lookup returns for a texel: four bytes red, green, blue, alpha from the lowest, or the element itself.
    fn expand(&self, raw: u32) -> u32 {
        let rgba = |r: u32, g: u32, b: u32, a: u32| r | g << 8 | b << 16 | a << 24;
        // A narrow component is widened by repeating its bits.
        let four = |v: u32| (v & 15) * 17;
        let five = |v: u32| (v & 31) << 3 | (v & 31) >> 2;
        let six = |v: u32| (v & 63) << 2 | (v & 63) >> 4;
        match self.format {
            Format::Rgba8888 => raw,
            Format::Rgbx8888 => raw | 0xff00_0000,
            Format::Rgba4444 => rgba(four(raw >> 12), four(raw >> 8), four(raw >> 4), four(raw)),
            Format::Rgba5551 => rgba(five(raw >> 11), five(raw >> 6), five(raw >> 1), (raw & 1) * 255),
            Format::Rgb565 => rgba(five(raw >> 11), six(raw >> 5), five(raw), 255),
            Format::Luminance8 => rgba(raw & 255, raw & 255, raw & 255, 255),
            Format::Alpha8 => rgba(0, 0, 0, raw & 255),
            Format::LuminanceAlpha88 => rgba(raw & 255, raw & 255, raw & 255, raw >> 8 & 255),
            Format::Half | Format::Short => raw & 0xffff,
            Format::Byte => raw & 255,
        }
    }

    fn mean(&self, texels: [u32; 4], weights: [f64; 4]) -> u32 {
        if self.format == Format::Half {
            let value = |bits: u32| f64::from(f32::from_bits(half_to_float(bits)));
            let sum: f64 = texels.iter().zip(weights).map(|(t, w)| value(*t) * w).sum();
            return float_to_half((sum as f32).to_bits());
        }
        let byte = |n: u32| {
            let sum: f64 = texels.iter().zip(weights).map(|(t, w)| f64::from(t >> n & 255) * w).sum();
            ((sum + 0.5).floor() as u32).min(255) << n
        };
        byte(0) | byte(8) | byte(16) | byte(24)
    }
}

/// Byte offset of a microtile in an image of 4 KiB tiles, `stride` tiles wide: rows of tiles run left to right and back by
/// turns; a tile has four parts of 1 KiB in an order that depends on the direction; a part has 4 x 4 microtiles.
fn tiled(tx: u32, ty: u32, stride: u32) -> u32 {
    let back = ty >> 3 & 1 == 1;
    let column = if back { stride - 1 - (tx >> 3) } else { tx >> 3 };
    let part = (ty >> 2 & 1) << 1 | tx >> 2 & 1;
    let part = if back { [2, 1, 3, 0] } else { [0, 3, 1, 2] }[part as usize];
    4096 * ((ty >> 3) * stride + column) + 1024 * part + 64 * ((ty & 3) * 4 + (tx & 3))
}

/// Coordinates and parameter words that were written for the next lookup of one TMU.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Parameter words in the order they came.
    pub params: Vec<u32>,
    pub t: Option<Lanes>,
    /// Border colour, from lane 0.
    pub border: u32,
}

impl Request {
    /// Looks all lanes up with these s coordinates; gives the results and the addresses that were read.
    ///
    /// # Errors
    /// Fault, lane and address.
    pub fn run(&self, s: &Lanes, memory: &mut Memory) -> Result<(Lanes, Lanes), (FaultKind, usize, u32)> {
        let [first, second, ..] = self.params[..] else {
            return Err((FaultKind::Texture("fewer than two parameter words"), 0, 0));
        };
        let texture = Texture::from_params(first, second).map_err(|kind| (kind, 0, 0))?;
        let (mut out, mut addresses) = (Lanes::ZERO, Lanes::ZERO);
        for lane in 0..LANES {
            // A one-dimensional lookup reads the middle of the first row.
            let t = self.t.map_or(0.0, |t| f32::from_bits(t.0[lane]));
            let found = texture.lookup(f32::from_bits(s.0[lane]), t, self.border, memory);
            (out.0[lane], addresses.0[lane]) = found.map_err(|(kind, address)| (kind, lane, address))?;
        }
        Ok((out, addresses))
    }
}

#[cfg(test)]
mod tests {
    use super::super::memory::Region;
    use super::*;

    const BASE: u32 = 0x4000;

    fn params(kind: u32, width: u32, height: u32, nearest: bool, wrap_s: u32, wrap_t: u32) -> Vec<u32> {
        let first = BASE | (kind & 15) << 4;
        let second = (kind >> 4) << 31 | height << 20 | width << 8 | u32::from(nearest) << 7 | wrap_t << 2 | wrap_s;
        vec![first, second]
    }

    fn memory(words: &[u32]) -> Memory {
        let mut memory = Memory::default();
        memory.add(Region::of_words("image", BASE, words)).expect("free");
        memory
    }

    fn at(params: &[u32], s: f32, t: f32, border: u32, memory: &mut Memory) -> u32 {
        let request = Request { params: params.to_vec(), t: Some(Lanes::splat(t.to_bits())), border };
        request.run(&Lanes::splat(s.to_bits()), memory).expect("inside").0.0[3]
    }

    #[test]
    fn coordinates_outside_follow_the_wrap_mode() {
        let mut memory = memory(&(0..16).collect::<Vec<u32>>());
        let column =
            |wrap: u32, x: f32, memory: &mut Memory| at(&params(16, 4, 4, true, wrap, 1), x / 4.0, 0.1, 99, memory);
        let expect = [
            (0, [2, 3, 0, 1, 2, 3, 0]),
            (1, [0, 0, 0, 1, 2, 3, 3]),
            (2, [1, 0, 0, 1, 2, 3, 3]),
            (3, [99, 99, 0, 1, 2, 3, 99]),
        ];
        for (wrap, row) in expect {
            let got: Vec<u32> = (-2..5).map(|x| column(wrap, x as f32 + 0.5, &mut memory)).collect();
            assert_eq!(got, row, "wrap {wrap}");
        }
        assert_eq!(at(&params(16, 4, 4, true, 1, 2), 0.3, 1.2, 0, &mut memory), 13, "mirrored below the last row");
    }

    #[test]
    fn tiles_hold_every_texel_once() {
        // For each texel size: an image of 4 KiB tiles, and a small one.
        for (kind, bytes, w, h) in [(0, 4, 96, 64), (0, 4, 16, 64), (9, 2, 128, 64), (5, 1, 128, 128), (5, 1, 32, 24)] {
            let [first, second] = params(kind, w, h, true, 0, 0)[..] else { unreachable!("two words") };
            let texture = Texture::from_params(first, second).expect("emulated");
            let mut seen = vec![false; (w * h) as usize];
            for y in 0..h {
                for x in 0..w {
                    let n = (texture.address(x, y) - BASE) / bytes;
                    assert!(!std::mem::replace(&mut seen[n as usize], true), "{kind} {x} {y}");
                }
            }
        }
    }

    #[test]
    fn the_order_of_tiles_is_the_documented_one() {
        let [first, second] = params(0, 64, 64, true, 0, 0)[..] else { unreachable!("two words") };
        let texture = Texture::from_params(first, second).expect("emulated");
        let at = |x, y| texture.address(x, y) - BASE;
        assert_eq!((at(1, 0), at(0, 1), at(4, 0), at(0, 4)), (4, 16, 64, 256));
        // Parts of the first tile: down, then right and up.
        assert_eq!((at(0, 16), at(16, 16), at(16, 0)), (1024, 2048, 3072));
        // Second row of tiles: from the right, its parts the other way round.
        assert_eq!((at(32, 0), at(63 - 15, 32), at(32, 32)), (4096, 8192 + 1024, 8192 + 2048));
    }

    #[test]
    fn filtering_weighs_four_texels() {
        let mut memory = memory(&[0, 0x0000_00ff, 0x0000_ff00, 0x0000_ffff]);
        let linear = params(16, 2, 2, false, 1, 1);
        assert_eq!(at(&linear, 0.25, 0.25, 0, &mut memory), 0, "at the centre of a texel its value");
        assert_eq!(at(&linear, 0.5, 0.25, 0, &mut memory), 0x0000_0080);
        assert_eq!(at(&linear, 0.5, 0.5, 0, &mut memory), 0x0000_8080);
        assert_eq!(at(&linear, 0.0, 1.0, 0, &mut memory), 0x0000_ff00, "clamped");
    }

    #[test]
    fn formats_are_widened_to_bytes() {
        let texel = |kind: u32, word: u32| at(&params(kind, 1, 1, true, 0, 0), 0.5, 0.5, 0, &mut memory(&[word; 16]));
        assert_eq!(texel(0, 0x8421_1234), 0x8421_1234);
        assert_eq!(texel(1, 0x0021_1234), 0xff21_1234);
        assert_eq!(texel(2, 0x1234_1234), 0x4433_2211);
        assert_eq!(texel(4, 0xffe0_ffe0), 0xff00_ffff);
        assert_eq!(texel(3, 0xf801_f801), 0xff00_00ff);
        assert_eq!(texel(5, 0x7777_7777), 0xff77_7777);
        assert_eq!(texel(6, 0x7777_7777), 0x7700_0000);
        assert_eq!(texel(9, 0x3c00_3c00), 0x3c00);
        assert_eq!(texel(11, 0x8001_8001), 0x8001);
    }

    #[test]
    fn wild_coordinates_read_some_texel() {
        let mut memory = memory(&[7; 16]);
        for s in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, -0.0] {
            for wrap in 0..3 {
                for nearest in [true, false] {
                    let got = at(&params(16, 4, 4, nearest, wrap, wrap), s, s, 0, &mut memory);
                    assert!(got == 7 || s.is_nan(), "{s} {wrap} {nearest}: {got}");
                }
            }
        }
    }

    #[test]
    fn what_is_not_emulated_is_refused() {
        for (first, second) in [(8 << 4, 0), (1 << 9, 0), (3, 0), (11 << 4, 0)] {
            assert!(matches!(Texture::from_params(first, second), Err(FaultKind::Texture(_))), "{first:x}");
        }
    }

    #[test]
    fn a_stray_texel_names_lane_and_address() {
        let mut s = Lanes::splat(0.1f32.to_bits());
        s.0[5] = 0.9f32.to_bits();
        let request = Request { params: params(16, 64, 64, true, 1, 1), t: None, border: 0 };
        let Err((kind, lane, address)) = request.run(&s, &mut memory(&[0; 16])) else { panic!("outside") };
        assert_eq!((kind, lane, address), (FaultKind::Outside(Access::Tmu), 5, BASE + 57 * 4));
    }
}
