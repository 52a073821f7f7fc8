//! Setup words for the VPM and its two DMA engines (guide, tables 31-37, p. 57-59).
//!
//! A setup word is written to [`Waddr::VPM_RD_SETUP`](super::Waddr::VPM_RD_SETUP) (reads of the VPM, DMA loads) or
//! [`Waddr::VPM_WR_SETUP`](super::Waddr::VPM_WR_SETUP) (writes of the VPM, DMA stores); the hardware takes lane 0. The VPM
//! that user programs reach is a window of 64 rows (y) of 16 words (x).

/// Where a 16-lane vector lies in the VPM, for reads and writes by the QPU. In the packed forms (`p`) 16 sub-words fill a
/// part of a row or column; in the laned forms (`l`) each takes the same part of its lane's word. Vertical vectors start at
/// a row that is a multiple of 16.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Vector {
    /// Row y.
    H32 { y: u32 },
    /// Half h of row y: words 8h to 8h+7.
    H16p { y: u32, h: u32 },
    /// Half h of each word of row y.
    H16l { y: u32, h: u32 },
    /// Quarter b of row y: words 4b to 4b+3.
    H8p { y: u32, b: u32 },
    /// Byte b of each word of row y.
    H8l { y: u32, b: u32 },
    /// Column x of rows y to y+15.
    V32 { y: u32, x: u32 },
    /// Half h of column x: rows y+8h to y+8h+7.
    V16p { y: u32, x: u32, h: u32 },
    /// Half h of each word of column x.
    V16l { y: u32, x: u32, h: u32 },
    /// Quarter b of column x: rows y+4b to y+4b+3.
    V8p { y: u32, x: u32, b: u32 },
    /// Byte b of each word of column x.
    V8l { y: u32, x: u32, b: u32 },
}

/// Where a DMA transfer starts in the VPM and how it walks: along rows (`H`) or down columns (`V`), by words, halves or
/// bytes; h and b choose the first half or byte within the word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cell {
    H32 { y: u32, x: u32 },
    H16 { y: u32, x: u32, h: u32 },
    H8 { y: u32, x: u32, b: u32 },
    V32 { y: u32, x: u32 },
    V16 { y: u32, x: u32, h: u32 },
    V8 { y: u32, x: u32, b: u32 },
}

/// An argument that its field cannot hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OutOfRange {
    pub argument: &'static str,
    pub value: u32,
    pub least: u32,
    pub most: u32,
    /// The value must be a multiple of this.
    pub multiple_of: u32,
}

impl std::fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` is {}, but must lie in {} to {}", self.argument, self.value, self.least, self.most)?;
        if self.multiple_of > 1 {
            write!(f, " and be a multiple of {}", self.multiple_of)?;
        }
        Ok(())
    }
}

impl std::error::Error for OutOfRange {}

fn check(argument: &'static str, value: u32, least: u32, most: u32) -> Result<u32, OutOfRange> {
    if (least..=most).contains(&value) {
        Ok(value)
    } else {
        Err(OutOfRange { argument, value, least, most, multiple_of: 1 })
    }
}

fn block_row(y: u32) -> Result<u32, OutOfRange> {
    match y {
        0 | 16 | 32 | 48 => Ok(y),
        value => Err(OutOfRange { argument: "y", value, least: 0, most: 48, multiple_of: 16 }),
    }
}

impl Vector {
    /// Bits 11:0 of a VPM setup word: HORIZ, LANED, SIZE, ADDR.
    ///
    /// # Errors
    /// The coordinate that is out of range.
    pub fn bits(self) -> Result<u32, OutOfRange> {
        const HORIZ: u32 = 1 << 11;
        const LANED: u32 = 1 << 10;
        const SIZE16: u32 = 1 << 8;
        const SIZE32: u32 = 2 << 8;
        let row = |y| check("y", y, 0, 63);
        let column = |y, x| Ok(block_row(y)? | check("x", x, 0, 15)?);
        let half = |h| check("h", h, 0, 1);
        let byte = |b| check("b", b, 0, 3);
        Ok(match self {
            Vector::H32 { y } => HORIZ | SIZE32 | row(y)?,
            Vector::H16p { y, h } => HORIZ | SIZE16 | row(y)? << 1 | half(h)?,
            Vector::H16l { y, h } => HORIZ | LANED | SIZE16 | row(y)? << 1 | half(h)?,
            Vector::H8p { y, b } => HORIZ | row(y)? << 2 | byte(b)?,
            Vector::H8l { y, b } => HORIZ | LANED | row(y)? << 2 | byte(b)?,
            Vector::V32 { y, x } => SIZE32 | column(y, x)?,
            Vector::V16p { y, x, h } => SIZE16 | column(y, x)? << 1 | half(h)?,
            Vector::V16l { y, x, h } => LANED | SIZE16 | column(y, x)? << 1 | half(h)?,
            Vector::V8p { y, x, b } => column(y, x)? << 2 | byte(b)?,
            Vector::V8l { y, x, b } => LANED | column(y, x)? << 2 | byte(b)?,
        })
    }
}

impl Cell {
    /// Whether it walks along rows, the element size code (0, 2 or 3, 4 to 7), and `y << 4 | x`.
    fn parts(self) -> Result<(bool, u32, u32), OutOfRange> {
        let (horizontal, mode, y, x) = match self {
            Cell::H32 { y, x } => (true, 0, y, x),
            Cell::H16 { y, x, h } => (true, 2 | check("h", h, 0, 1)?, y, x),
            Cell::H8 { y, x, b } => (true, 4 | check("b", b, 0, 3)?, y, x),
            Cell::V32 { y, x } => (false, 0, y, x),
            Cell::V16 { y, x, h } => (false, 2 | check("h", h, 0, 1)?, y, x),
            Cell::V8 { y, x, b } => (false, 4 | check("b", b, 0, 3)?, y, x),
        };
        Ok((horizontal, mode, check("y", y, 0, 63)? << 4 | check("x", x, 0, 15)?))
    }

    /// The cell's bits in a DMA store word: HORIZ, VPMBASE, MODEW.
    ///
    /// # Errors
    /// The coordinate that is out of range.
    pub fn store_bits(self) -> Result<u32, OutOfRange> {
        let (horizontal, mode, at) = self.parts()?;
        Ok(u32::from(horizontal) << 14 | at << 3 | mode)
    }

    /// The cell's bits in a DMA load word: MODEW, VPITCH, VERT, ADDRXY. `vpitch` is 1 to 16.
    ///
    /// # Errors
    /// The argument that is out of range.
    pub fn load_bits(self, vpitch: u32) -> Result<u32, OutOfRange> {
        let (horizontal, mode, at) = self.parts()?;
        Ok(mode << 28 | (check("vpitch", vpitch, 1, 16)? & 15) << 12 | u32::from(!horizontal) << 11 | at)
    }
}

/// Word for WR_SETUP: where the following writes to the VPM go. After each vector the address advances by `stride` (1 to 64)
/// in units of the vector's own address: rows, halves or quarters of rows, columns.
///
/// # Errors
/// The argument that is out of range.
///
/// ```
/// use quadra_isa::vc4::setup::{self, Vector};
/// assert_eq!(setup::vpm_write(1, Vector::H32 { y: 0 }), Ok(0x0000_1a00));
/// assert!(setup::vpm_write(1, Vector::H32 { y: 64 }).is_err());
/// ```
pub fn vpm_write(stride: u32, first: Vector) -> Result<u32, OutOfRange> {
    Ok((check("stride", stride, 1, 64)? & 63) << 12 | first.bits()?)
}

/// Word for RD_SETUP: the next `num` (1 to 16) reads of the VPM deliver the vectors from `first` on.
///
/// # Errors
/// The argument that is out of range.
pub fn vpm_read(num: u32, stride: u32, first: Vector) -> Result<u32, OutOfRange> {
    Ok((check("num", num, 1, 16)? & 15) << 20 | vpm_write(stride, first)?)
}

/// Word for WR_SETUP: a DMA store of `units` (1 to 128) rows of memory, each `depth` (1 to 128) elements long.
///
/// # Errors
/// The argument that is out of range.
pub fn dma_store(units: u32, depth: u32, first: Cell) -> Result<u32, OutOfRange> {
    let (units, depth) = (check("units", units, 1, 128)?, check("depth", depth, 1, 128)?);
    Ok(2 << 30 | (units & 127) << 23 | (depth & 127) << 16 | first.store_bits()?)
}

/// Word for WR_SETUP: `gap_bytes` (0 to 65535) lie in memory between the end of one stored row and the start of the next.
/// With `packed` (bit 16) they follow each other in memory without a gap, whatever `gap_bytes` says. In the VPM each row starts
/// at the next row or column either way.
///
/// # Errors
/// The gap if it is out of range. The guide gives it 13 bits; hardware takes 16.
pub fn dma_store_stride(gap_bytes: u32, packed: bool) -> Result<u32, OutOfRange> {
    Ok(3 << 30 | u32::from(packed) << 16 | check("gap_bytes", gap_bytes, 0, 0xffff)?)
}

/// Word for RD_SETUP: a DMA load of `nrows` (1 to 16) rows of `rowlen` (1 to 16) elements. Rows start
/// `8 << mpitch` bytes apart in memory (`mpitch` 1 to 15), or as [`dma_load_pitch`] says if `mpitch` is 0; in the VPM each
/// row starts `vpitch` (1 to 16) rows below the one before (in sub-words for 16- and 8-bit elements).
///
/// # Errors
/// The argument that is out of range.
pub fn dma_load(mpitch: u32, rowlen: u32, nrows: u32, vpitch: u32, first: Cell) -> Result<u32, OutOfRange> {
    let rows = (check("rowlen", rowlen, 1, 16)? & 15) << 20 | (check("nrows", nrows, 1, 16)? & 15) << 16;
    Ok(1 << 31 | check("mpitch", mpitch, 0, 15)? << 24 | rows | first.load_bits(vpitch)?)
}

/// Word for RD_SETUP: rows of a DMA load with `mpitch` 0 start `pitch_bytes` (0 to 8191) apart in memory.
///
/// # Errors
/// The pitch if it is out of range.
pub fn dma_load_pitch(pitch_bytes: u32) -> Result<u32, OutOfRange> {
    Ok(9 << 28 | check("pitch_bytes", pitch_bytes, 0, 0x1fff)?)
}

/// What a setup word says, as the call of the include file's function that makes it; `None` if none does. `write`: the word
/// goes to WR_SETUP, else to RD_SETUP.
///
/// ```
/// use quadra_isa::vc4::setup;
/// assert_eq!(setup::describe(0x8090_4280, true).as_deref(), Some("vdw_setup_0(1, 16, dma_h32(5, 0))"));
/// assert_eq!(setup::describe(0x8301_1050, false).as_deref(), Some("vdr_setup_0(3, 16, 1, vdr_h32(1, 5, 0))"));
/// ```
pub fn describe(word: u32, write: bool) -> Option<String> {
    let field = |low: u32, bits: u32| word >> low & ((1 << bits) - 1);
    let full = |low: u32, bits: u32| if field(low, bits) == 0 { 1 << bits } else { field(low, bits) };
    let (text, again) = match (word >> 30, write) {
        (0, _) => {
            let (vector, name) = vector(word)?;
            let (num, stride) = (full(20, 4), full(12, 6));
            let again = if write { vpm_write(stride, vector) } else { vpm_read(num, stride, vector) };
            (format!("vpm_setup({}, {stride}, {name})", if write { 0 } else { num }), again)
        }
        (2, true) => {
            let (units, depth) = (full(23, 7), full(16, 7));
            let (cell, name) = cell(field(14, 1) == 1, field(0, 3), field(7, 7), field(3, 4), "dma_", "")?;
            (format!("vdw_setup_0({units}, {depth}, {name})"), dma_store(units, depth, cell))
        }
        (3, true) => {
            let (packed, gap) = (field(16, 1) == 1, field(0, 16));
            (format!("vdw_setup_1{}({gap})", if packed { "p" } else { "" }), dma_store_stride(gap, packed))
        }
        (_, true) => return None,
        _ if word >> 28 == 9 => (format!("vdr_setup_1({})", field(0, 13)), dma_load_pitch(field(0, 13))),
        _ => {
            let (mpitch, rowlen, nrows, vpitch) = (field(24, 4), full(20, 4), full(16, 4), full(12, 4));
            let first = format!("{vpitch}, ");
            let (cell, name) = cell(field(11, 1) == 0, field(28, 3), field(4, 7), field(0, 4), "vdr_", &first)?;
            let text = format!("vdr_setup_0({mpitch}, {rowlen}, {nrows}, {name})");
            (text, dma_load(mpitch, rowlen, nrows, vpitch, cell))
        }
    };
    (again == Ok(word)).then_some(text)
}

/// The vector of a VPM setup word, and its name.
fn vector(word: u32) -> Option<(Vector, String)> {
    let (horizontal, laned, at) = (word >> 11 & 1 == 1, word >> 10 & 1 == 1, word & 0xff);
    let per_word = [4, 2, 1].get((word >> 8 & 3) as usize)?;
    let (part, place) = (at % per_word, at / per_word);
    let (y, x) = if horizontal { (place, 0) } else { (place & 0x30, place & 15) };
    Some(match (horizontal, per_word, laned) {
        (true, 1, _) => (Vector::H32 { y }, format!("h32({y})")),
        (true, 2, false) => (Vector::H16p { y, h: part }, format!("h16p({y}, {part})")),
        (true, 2, true) => (Vector::H16l { y, h: part }, format!("h16l({y}, {part})")),
        (true, _, false) => (Vector::H8p { y, b: part }, format!("h8p({y}, {part})")),
        (true, _, true) => (Vector::H8l { y, b: part }, format!("h8l({y}, {part})")),
        (false, 1, _) => (Vector::V32 { y, x }, format!("v32({y}, {x})")),
        (false, 2, false) => (Vector::V16p { y, x, h: part }, format!("v16p({y}, {x}, {part})")),
        (false, 2, true) => (Vector::V16l { y, x, h: part }, format!("v16l({y}, {x}, {part})")),
        (false, _, false) => (Vector::V8p { y, x, b: part }, format!("v8p({y}, {x}, {part})")),
        (false, _, true) => (Vector::V8l { y, x, b: part }, format!("v8l({y}, {x}, {part})")),
    })
}

/// The cell of a DMA word, and its name.
fn cell(horizontal: bool, mode: u32, y: u32, x: u32, prefix: &str, first: &str) -> Option<(Cell, String)> {
    let way = if horizontal { 'h' } else { 'v' };
    let name = |kind: &str, part: String| format!("{prefix}{way}{kind}({first}{y}, {x}{part})");
    Some(match (mode, horizontal) {
        (0, true) => (Cell::H32 { y, x }, name("32", String::new())),
        (0, false) => (Cell::V32 { y, x }, name("32", String::new())),
        (2 | 3, true) => (Cell::H16 { y, x, h: mode & 1 }, name("16p", format!(", {}", mode & 1))),
        (2 | 3, false) => (Cell::V16 { y, x, h: mode & 1 }, name("16p", format!(", {}", mode & 1))),
        (4.., true) => (Cell::H8 { y, x, b: mode & 3 }, name("8p", format!(", {}", mode & 3))),
        (4.., false) => (Cell::V8 { y, x, b: mode & 3 }, name("8p", format!(", {}", mode & 3))),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words that vc4asm's include file and py-videocore agree on.
    #[test]
    fn words_are_those_of_other_assemblers() {
        let h32 = |y| Cell::H32 { y, x: 0 };
        for (word, ours) in [
            (0x8000_1000, dma_load(0, 16, 16, 1, h32(0))),
            (0x8301_1050, dma_load(3, 16, 1, 1, h32(5))),
            (0x8304_0805, dma_load(3, 16, 4, 16, Cell::V32 { y: 0, x: 5 })),
            (0x9000_1000, dma_load_pitch(0x1000)),
            (0x8810_4000, dma_store(16, 16, h32(0))),
            (0x8090_4280, dma_store(1, 16, h32(5))),
            (0xa010_4000, dma_store(64, 16, h32(0))),
            (0x8810_0800, dma_store(16, 16, Cell::V32 { y: 16, x: 0 })),
            (0xc000_0040, dma_store_stride(0x40, false)),
            (0xc001_0000, dma_store_stride(0, true)),
            (0x0000_1a00, vpm_read(16, 1, Vector::H32 { y: 0 })),
            (0x0010_1a07, vpm_read(1, 1, Vector::H32 { y: 7 })),
            (0x0040_1213, vpm_read(4, 1, Vector::V32 { y: 16, x: 3 })),
            (0x0080_1d05, vpm_read(8, 1, Vector::H16l { y: 2, h: 1 })),
            (0x0040_180e, vpm_read(4, 1, Vector::H8p { y: 3, b: 2 })),
            (0x0000_1a00, vpm_write(1, Vector::H32 { y: 0 })),
            (0x0000_1202, vpm_write(1, Vector::V32 { y: 0, x: 2 })),
            (0x0000_2497, vpm_write(2, Vector::V8l { y: 32, x: 5, b: 3 })),
        ] {
            assert_eq!(ours, Ok(word), "{word:08x}");
        }
    }

    /// Whatever is described assembles to the same word.
    #[test]
    fn descriptions_are_calls_that_make_the_word() {
        let (mut state, mut described) = (0x2545_f491_u32, 0);
        let mut text = ".include <vc4.qinc>\n".to_string();
        let mut words = Vec::new();
        for n in 0..4000 {
            state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            // Only fields that exist, so that many words mean something.
            let word = match n % 5 {
                0 => state & 0x00f3_ffff,
                1 => 0x8000_0000 | state & 0x3fff_7fff,
                2 => 0xc000_0000 | state & 0x1_ffff,
                3 => 0x8000_0000 | state & 0x7fff_ffff,
                _ => 0x9000_0000 | state & 0x1fff,
            };
            for write in [false, true] {
                if let Some(call) = describe(word, write) {
                    text.push_str(&format!(".int {call}\n"));
                    words.push(word);
                    described += 1;
                }
            }
        }
        let (assembly, diagnostics) = super::super::asm::assemble("calls.qasm", &text, &Default::default());
        let bytes = assembly.unwrap_or_else(|| panic!("{diagnostics:?}")).bytes();
        let made: Vec<u32> = bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
        // Counts have no meaning in a write setup, so that its call leaves them out.
        assert_eq!(made[..words.len()], words[..]);
        assert!(described > 2000, "{described}");
    }

    #[test]
    fn arguments_out_of_range_are_named() {
        let error = vpm_read(17, 1, Vector::H32 { y: 0 }).expect_err("17 vectors");
        assert_eq!(error.to_string(), "`num` is 17, but must lie in 1 to 16");
        let error = vpm_write(1, Vector::V32 { y: 8, x: 0 }).expect_err("row 8");
        assert_eq!(error.to_string(), "`y` is 8, but must lie in 0 to 48 and be a multiple of 16");
        for wrong in [
            dma_store(0, 16, Cell::H32 { y: 0, x: 0 }),
            dma_store(129, 16, Cell::H32 { y: 0, x: 0 }),
            dma_store(1, 16, Cell::H8 { y: 0, x: 0, b: 4 }),
            dma_store_stride(0x10000, false),
            dma_load(16, 16, 16, 1, Cell::H32 { y: 0, x: 0 }),
            dma_load(0, 16, 16, 0, Cell::H32 { y: 0, x: 0 }),
            dma_load_pitch(8192),
        ] {
            assert!(wrong.is_err(), "{wrong:?}");
        }
    }
}
