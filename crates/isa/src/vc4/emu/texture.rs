//! Texture lookups: images read by coordinates, with the access modes and filters of the TMU (guide p. 39-45).
//!
//! Exact are addresses, wrapping and nearest lookups. Filtered results are the right mean of the texels rounded to the
//! nearest value of the format; the hardware's weights have fewer bits, how many is not documented. Levels of detail are
//! emulated where the program gives the level (parameter word 2 or 3 with "bias only"); how the hardware derives it from
//! coordinates of neighbouring lanes is not documented, and is refused. Where the level does not matter, the filter for
//! magnification is the one used. Levels lie in front of the image, the faces of a cube behind it, as the Linux driver
//! checks them (vc4_validate.c); faces have OpenGL's order and orientation.

pub mod format;

use super::fault::{Access, FaultKind};
use super::memory::Memory;
use super::{LANES, Lanes};
use format::Format;

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

/// An image and how it is read, from the parameter words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Texture {
    base: u32,
    width: u32,
    height: u32,
    format: Format,
    raster: bool,
    flip_y: bool,
    /// Whether the filter for magnification is "nearest".
    nearest: bool,
    /// The filter for minification: 0 linear, 1 nearest, 2 and 3 nearest within a level, 4 and 5 linear within a level;
    /// 3 and 5 mix two levels.
    minify: u32,
    wrap_s: Wrap,
    wrap_t: Wrap,
    /// Levels of detail beside the image itself.
    levels: u32,
    /// Bytes between the faces of a cube map.
    cube: Option<u32>,
    /// Whether the bias alone is the level of detail.
    bias_only: bool,
}

/// One level of detail of one face.
#[derive(Clone, Copy, Debug)]
struct Level {
    base: u32,
    width: u32,
    height: u32,
}

/// The words of a result, and the address of the first texel read.
type Found = Result<([u32; 2], u32), (FaultKind, u32)>;

impl Texture {
    /// The texture that two to four parameter words describe.
    ///
    /// # Errors
    /// What the words ask for that is not emulated.
    pub fn from_params(params: &[u32]) -> Result<Texture, FaultKind> {
        let refuse = |about| Err(FaultKind::Texture(about));
        let [first, second, ref more @ ..] = *params else { return refuse("fewer than two parameter words") };
        let kind = first >> 4 & 15 | (second >> 31) << 4;
        let format = Format::from_code(kind).map_err(FaultKind::Texture)?;
        if format == Format::Etc1 && second >> 19 & 1 == 0 {
            return refuse(
                "ETC1 blocks are emulated with their rows flipped (bit 19 of word 1) only, as drivers set it",
            );
        }
        let size = |field: u32| if field & 0x7ff == 0 { 2048 } else { field & 0x7ff };
        let mut texture = Texture {
            base: first & !0xfff,
            width: size(second >> 8),
            height: size(second >> 20),
            format,
            raster: kind == 16,
            flip_y: first >> 8 & 1 == 1,
            nearest: second >> 7 & 1 == 1,
            minify: second >> 4 & 7,
            wrap_s: Wrap::from_code(second),
            wrap_t: Wrap::from_code(second >> 2),
            levels: first & 15,
            cube: None,
            bias_only: false,
        };
        for word in more {
            match word >> 30 {
                0 => {}
                1 => (texture.cube, texture.bias_only) = (Some(word & 0x3fff_f000), word & 1 == 1),
                _ => return refuse("child images are not emulated"),
            }
        }
        match (first >> 9 & 1 == 1, texture.cube) {
            (true, None) => return refuse("a cube map needs the stride of its faces in parameter word 2 or 3"),
            (false, _) => texture.cube = None,
            _ => {}
        }
        if texture.minify > 5 {
            return refuse("this filter is reserved");
        }
        if !format.filters() && !(texture.nearest && (texture.levels == 0 || matches!(texture.minify, 1 | 2))) {
            return refuse("this format cannot be filtered");
        }
        if texture.levels > 11 {
            return refuse("an image has at most 12 levels of detail");
        }
        if texture.levels > 0 && !texture.bias_only && texture.minify >= 2 {
            return refuse(
                "which level the coordinates of neighbouring lanes select is not documented: give it as a bias",
            );
        }
        Ok(texture)
    }

    /// Size of a level in what lies in one place, texels or blocks.
    fn places(&self, level: u32) -> (u32, u32) {
        let side = |texels: u32| (texels.div_ceil(self.format.block()) >> level).max(1);
        (side(self.width), side(self.height))
    }

    /// Whether a level of so many places is stored as microtiles row by row.
    fn is_small(&self, (width, height): (u32, u32)) -> bool {
        let (tile_w, tile_h) = self.format.tile();
        width <= 4 * tile_w || height <= 4 * tile_h
    }

    fn level(&self, level: u32, face: u32) -> Level {
        let before: u32 = (1..=level).map(|n| self.level_bytes(n)).sum();
        let face = self.cube.unwrap_or(0).wrapping_mul(face);
        Level {
            base: self.base.wrapping_add(face).wrapping_sub(before),
            width: (self.width >> level).max(1),
            height: (self.height >> level).max(1),
        }
    }

    /// Bytes that a level takes in front of the next larger one.
    fn level_bytes(&self, level: u32) -> u32 {
        let (width, height) = self.places(level);
        let (tile_w, tile_h) = self.format.tile();
        let (unit_w, unit_h) = match (self.raster, self.is_small((width, height))) {
            (true, _) => (1, 1),
            (false, true) => (tile_w, tile_h),
            (false, false) => (8 * tile_w, 8 * tile_h),
        };
        width.next_multiple_of(unit_w) * height.next_multiple_of(unit_h) * self.format.bytes()
    }

    /// Byte address of the texel or block at `x`, `y`.
    fn address(&self, level: &Level, x: u32, y: u32) -> u32 {
        let (bytes, block) = (self.format.bytes(), self.format.block());
        let (width, height) = (level.width.div_ceil(block), level.height.div_ceil(block));
        let (x, y) = (x / block, y / block);
        if self.raster {
            return level.base.wrapping_add((y * width + x) * bytes);
        }
        let (tile_w, tile_h) = self.format.tile();
        let inside = (y % tile_h * tile_w + x % tile_w) * bytes;
        let (tx, ty) = (x / tile_w, y / tile_h);
        let offset = if self.is_small((width, height)) {
            (ty * width.div_ceil(tile_w) + tx) * 64
        } else {
            tiled(tx, ty, width.div_ceil(8 * tile_w))
        };
        level.base.wrapping_add(offset + inside)
    }

    /// Looks up one lane at a level of detail.
    fn lookup(&self, face: u32, (s, t): (f32, f32), lod: f32, border: u32, memory: &mut Memory) -> Found {
        // Larger than the image itself, or no choice of levels: NaN is neither.
        if lod.is_nan() || lod <= 0.0 {
            return self.in_level(&self.level(0, face), self.nearest, (s, t), border, memory);
        }
        let nearest = matches!(self.minify, 1..=3);
        let last = self.levels as f32;
        let mut at = |n: f32| self.in_level(&self.level(n.min(last) as u32, face), nearest, (s, t), border, memory);
        match self.minify {
            2 | 4 => at((lod + 0.5).floor()),
            3 | 5 => {
                let lod = lod.min(last);
                let ([near, _], address) = at(lod.floor())?;
                let ([far, _], _) = at(lod.floor() + 1.0)?;
                let part = f64::from(lod - lod.floor());
                Ok(([self.format.mean(&[(near, 1.0 - part), (far, part)]), 0], address))
            }
            _ => at(0.0),
        }
    }

    fn in_level(&self, level: &Level, nearest: bool, (s, t): (f32, f32), border: u32, memory: &mut Memory) -> Found {
        // Coordinates far outside stay where integers can follow; NaN reads as 0.
        let at = |coordinate: f32, size: u32| (f64::from(coordinate) * f64::from(size)).clamp(-1e12, 1e12);
        let (u, v) = (at(s, level.width), at(t, level.height));
        if nearest {
            return self.texel(level, u.floor() as i64, v.floor() as i64, border, memory);
        }
        let (u, v) = (u - 0.5, v - 0.5);
        let (x, y) = (u.floor(), v.floor());
        let (fx, fy) = (u - x, v - y);
        let weights = [(1.0 - fx) * (1.0 - fy), fx * (1.0 - fy), (1.0 - fx) * fy, fx * fy];
        let mut texels = [(0, 0.0); 4];
        let mut first = 0;
        for (i, texel) in texels.iter_mut().enumerate() {
            let (x, y) = (x as i64 + (i as i64 & 1), y as i64 + (i as i64 >> 1));
            let ([value, _], address) = self.texel(level, x, y, border, memory)?;
            *texel = (value, weights[i]);
            first = if i == 0 { address } else { first };
        }
        Ok(([self.format.mean(&texels), 0], first))
    }

    /// The result words of texel `x`, `y`, which may lie outside.
    fn texel(&self, level: &Level, x: i64, y: i64, border: u32, memory: &mut Memory) -> Found {
        let (Some(x), Some(y)) = (self.wrap_s.index(x, level.width), self.wrap_t.index(y, level.height)) else {
            return Ok(([border; 2], level.base));
        };
        let y = if self.flip_y { level.height - 1 - y } else { y };
        let address = self.address(level, x, y);
        let mut word = |at: u32| {
            let (word, _) = memory.cached_word(at & !3, Access::Tmu).map_err(|kind| (kind, at))?;
            Ok(u64::from(word >> (at % 4 * 8)))
        };
        let mut raw = word(address)?;
        if self.format.bytes() == 8 {
            raw |= word(address.wrapping_add(4))? << 32;
        }
        Ok((self.format.expand(raw, x % 4, y % 4), address))
    }
}

/// The face of a cube that a direction points at, and the coordinates on it.
fn face_of(s: f32, t: f32, r: f32) -> (u32, (f32, f32)) {
    let (x, y, z) = (s.abs(), t.abs(), r.abs());
    let (face, across, down, axis) = if x >= y && x >= z {
        if s >= 0.0 { (0, -r, -t, x) } else { (1, r, -t, x) }
    } else if y >= z {
        if t >= 0.0 { (2, s, r, y) } else { (3, s, -r, y) }
    } else if r >= 0.0 {
        (4, s, -t, z)
    } else {
        (5, -s, -t, z)
    };
    let on = |v: f32| if axis > 0.0 { (v / axis + 1.0) * 0.5 } else { 0.5 };
    (face, (on(across), on(down)))
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
    /// The third coordinate of a cube map; otherwise lane 0 is the border colour.
    pub r: Option<Lanes>,
    /// Bias of the level of detail.
    pub b: Option<Lanes>,
}

/// What a lookup of 16 lanes gives.
#[derive(Clone, Debug)]
pub struct Results {
    pub words: Lanes,
    /// The second word of 64-bit texels.
    pub more: Option<Lanes>,
    /// The address of the first texel that each lane read.
    pub addresses: Lanes,
}

impl Request {
    /// Looks all lanes up with these s coordinates.
    ///
    /// # Errors
    /// Fault, lane and address.
    pub fn run(&self, s: &Lanes, memory: &mut Memory) -> Result<Results, (FaultKind, usize, u32)> {
        let texture = Texture::from_params(&self.params).map_err(|kind| (kind, 0, 0))?;
        let float = |lanes: Option<Lanes>, lane: usize| lanes.map_or(0.0, |l| f32::from_bits(l.0[lane]));
        let border = if texture.cube.is_some() { 0 } else { self.r.map_or(0, |r| r.0[0]) };
        let (mut words, mut more, mut addresses) = (Lanes::ZERO, Lanes::ZERO, Lanes::ZERO);
        for lane in 0..LANES {
            // A one-dimensional lookup reads the middle of the first row.
            let (s, t) = (f32::from_bits(s.0[lane]), float(self.t, lane));
            let (face, at) = if texture.cube.is_some() { face_of(s, t, float(self.r, lane)) } else { (0, (s, t)) };
            let lod = if texture.bias_only { float(self.b, lane) } else { 0.0 };
            let found = texture.lookup(face, at, lod, border, memory);
            let (pair, address) = found.map_err(|(kind, address)| (kind, lane, address))?;
            [words.0[lane], more.0[lane]] = pair;
            addresses.0[lane] = address;
        }
        let more = (texture.format == Format::Rgba64).then_some(more);
        Ok(Results { words, more, addresses })
    }
}

#[cfg(test)]
mod tests;
