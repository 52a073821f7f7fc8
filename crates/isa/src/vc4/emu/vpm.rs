//! The vertex pipe memory as user programs see it: 64 rows of 16 words (guide p. 53-57).

use super::Lanes;
use super::fault::FaultKind;

/// Rows that user programs can address.
pub const ROWS: usize = 64;

/// The memory shared by all QPUs, row by row.
#[derive(Clone, Debug)]
pub struct Vpm {
    pub words: [[u32; 16]; ROWS],
    /// Number of words that are marked.
    pub marked: u32,
    /// Which words hold what a board would not have delivered; nothing before there is such a value.
    pub marks: Option<Box<super::stale::Marks>>,
}

/// Width of a vector's elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    Bits8,
    Bits16,
    Bits32,
}

impl Width {
    /// Elements per 32-bit word.
    pub const fn per_word(self) -> u32 {
        match self {
            Width::Bits8 => 4,
            Width::Bits16 => 2,
            Width::Bits32 => 1,
        }
    }

    /// Bytes per element.
    pub const fn bytes(self) -> u32 {
        4 / self.per_word()
    }

    const fn mask(self) -> u32 {
        u32::MAX >> (32 - 8 * self.bytes())
    }
}

/// What native code asks about a block access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Shape {
    /// Vectors are rows of words.
    Rows,
    /// Vectors are columns of words.
    Columns,
    /// Elements are narrower.
    Narrow,
    /// There is no block.
    None,
}

/// A block access as a setup word describes it; the same for reads and writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(32))]
pub struct Block {
    pub shape: Shape,
    pub horizontal: bool,
    /// One element per word, rather than elements side by side; 8 and 16 bits only.
    pub laned: bool,
    pub width: Width,
    /// Address of the next vector: row or block and column, with the sub-word position in the low bits.
    pub address: u32,
    /// Added to the address after each vector, 1 to 64.
    pub stride: u32,
    /// Vectors still to deliver, for reads; 1 to 16 at first.
    pub left: u32,
}

impl Block {
    /// Before any setup.
    pub const NONE: Block = Block {
        shape: Shape::None,
        horizontal: false,
        laned: false,
        width: Width::Bits32,
        address: 0,
        stride: 0,
        left: 0,
    };

    /// This block, if there is one.
    pub fn if_any(self) -> Option<Block> {
        (self.shape != Shape::None).then_some(self)
    }

    /// Decodes the word of a VPM read or write setup (bits 31:30 clear).
    pub fn from_setup(word: u32) -> Result<Block, FaultKind> {
        let width = match word >> 8 & 3 {
            0 => Width::Bits8,
            1 => Width::Bits16,
            2 => Width::Bits32,
            _ => return Err(FaultKind::ReservedSetup(word)),
        };
        let horizontal = word >> 11 & 1 == 1;
        let shape = match (width, horizontal) {
            (Width::Bits32, true) => Shape::Rows,
            (Width::Bits32, false) => Shape::Columns,
            _ => Shape::Narrow,
        };
        Ok(Block {
            shape,
            horizontal,
            laned: word >> 10 & 1 == 1,
            width,
            address: word & 255,
            stride: match word >> 12 & 63 {
                0 => 64,
                stride => stride,
            },
            left: match word >> 20 & 15 {
                0 => 16,
                count => count,
            },
        })
    }

    /// Row, column and bit position of lane `e` of the current vector.
    pub(super) fn place(&self, e: u32) -> (usize, usize, u32) {
        let per_word = self.width.per_word();
        let (sub, place) = (self.address % per_word, self.address / per_word);
        // Position along the vector in words, and element inside the word.
        let (along, inside) = match (self.width, self.laned) {
            (Width::Bits32, _) => (e, 0),
            (_, true) => (e, sub),
            (_, false) => (sub * 16 / per_word + e / per_word, e % per_word),
        };
        let (row, column) = match self.horizontal {
            true => (place % 64, along),
            false => (place / 16 % 4 * 16 + along, place % 16),
        };
        (row as usize, column as usize, inside * 8 * self.width.bytes())
    }

    /// The rows that the current vector touches, one bit each.
    pub fn rows(&self) -> u64 {
        match self.horizontal {
            true => 1 << (self.address / self.width.per_word() % 64),
            false => 0xffff << (self.address / self.width.per_word() / 16 % 4 * 16),
        }
    }

    /// Goes on to the next vector.
    pub fn advance(&mut self) {
        self.address = (self.address + self.stride) % 256;
        self.left = self.left.saturating_sub(1);
    }
}

/// The reads that were set up: the one under way, and one that waits behind it.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Reads {
    /// The last is always [`Block::NONE`].
    blocks: [Block; 3],
}

/// No reads.
impl Default for Reads {
    fn default() -> Reads {
        Reads { blocks: [Block::NONE; 3] }
    }
}

impl Reads {
    /// Vectors that were set up and not read.
    pub fn left(&self) -> u32 {
        self.blocks.iter().map(|block| block.left).sum()
    }

    /// The block that is read.
    pub fn front(&self) -> Option<&Block> {
        Some(&self.blocks[0]).filter(|block| block.shape != Shape::None)
    }

    /// Appends a block, behind one at most.
    pub fn push(&mut self, block: Block) {
        self.blocks[usize::from(self.front().is_some())] = block;
    }

    /// Goes on to the next vector.
    pub fn advance(&mut self) {
        self.blocks[0].advance();
        if self.blocks[0].left == 0 {
            self.blocks = [self.blocks[1], self.blocks[2], Block::NONE];
        }
    }
}

impl Default for Vpm {
    fn default() -> Vpm {
        Vpm { words: [[0; 16]; ROWS], marked: 0, marks: None }
    }
}

impl Vpm {
    /// Reads the next vector of a block; narrow elements are zero extended.
    pub fn read(&self, block: &Block) -> Lanes {
        let mut out = Lanes::ZERO;
        if block.horizontal && block.width == Width::Bits32 {
            out.0 = self.words[block.address as usize % ROWS];
        } else {
            for e in 0..16 {
                let (row, column, shift) = block.place(e);
                out.0[e as usize] = self.words[row][column] >> shift & block.width.mask();
            }
        }
        out
    }

    /// Writes the next vector of a block; narrow elements take the low bits.
    pub fn write(&mut self, block: &mut Block, vector: &Lanes) {
        if block.horizontal && block.width == Width::Bits32 {
            self.words[block.address as usize % ROWS] = vector.0;
        } else {
            for e in 0..16 {
                let (row, column, shift) = block.place(e);
                let mask = block.width.mask() << shift;
                let word = &mut self.words[row][column];
                *word = *word & !mask | vector.0[e as usize] << shift & mask;
            }
        }
        block.advance();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A memory in which every byte tells its place: row in the high word half, byte of the row in the low.
    fn numbered() -> Vpm {
        let mut vpm = Vpm::default();
        for row in 0..ROWS {
            for column in 0..16 {
                vpm.words[row][column] = std::array::from_fn::<u8, 4, _>(|b| (row * 67 + column * 4 + b) as u8)
                    .iter()
                    .rev()
                    .fold(0, |w, b| w << 8 | u32::from(*b));
            }
        }
        vpm
    }

    fn byte(row: usize, column: usize, b: usize) -> u32 {
        u32::from((row * 67 + column * 4 + b) as u8)
    }

    fn read(setup: u32) -> [u32; 16] {
        numbered().read(&Block::from_setup(setup).expect("valid")).0
    }

    #[test]
    fn bytes_are_found_in_all_four_arrangements() {
        // Horizontal packed, row 3, quarter 2; horizontal laned, row 3, byte 1.
        assert_eq!(read(0x0000_180e), std::array::from_fn(|e| byte(3, 8 + e / 4, e % 4)));
        assert_eq!(read(0x0000_1c0d), std::array::from_fn(|e| byte(3, e, 1)));
        // Vertical packed, block 2, column 5, quarter 3; vertical laned, block 2, column 5, byte 3 (setup of the
        // assembler's helper vpm_setup(0, 2, v8l(32, 5, 3))).
        assert_eq!(read(0x0000_1097), std::array::from_fn(|e| byte(32 + 12 + e / 4, 5, e % 4)));
        assert_eq!(read(0x0000_2497), std::array::from_fn(|e| byte(32 + e, 5, 3)));
    }

    #[test]
    fn halves_and_words_are_found() {
        let half = |row, column, h: usize| byte(row, column, 2 * h) | byte(row, column, 2 * h + 1) << 8;
        // vpm_setup(8, 1, h16l(2, 1)), and the packed form of the same address.
        assert_eq!(read(0x0080_1d05), std::array::from_fn(|e| half(2, e, 1)));
        assert_eq!(read(0x0080_1905), std::array::from_fn(|e| half(2, 8 + e / 2, e % 2)));
        // vpm_setup(4, 1, v32(16, 3)).
        let vpm = numbered();
        assert_eq!(read(0x0040_1213), std::array::from_fn(|e| vpm.words[16 + e][3]));
    }

    #[test]
    fn strides_walk_columns_then_blocks() {
        let mut block = Block::from_setup(0x0000_1a00 & !0x800 | 0x0f).expect("valid");
        let vpm = numbered();
        assert_eq!(vpm.read(&block).0[0], vpm.words[0][15]);
        block.advance();
        assert_eq!(vpm.read(&block).0[0], vpm.words[16][0]);
        let mut rows = Block::from_setup(0x0000_0a3f).expect("valid");
        assert_eq!((rows.stride, rows.left), (64, 16));
        rows.advance();
        assert_eq!((rows.address, rows.left), (127, 15));
        assert_eq!(vpm.read(&rows).0, vpm.words[63]);
    }

    #[test]
    fn what_is_written_reads_back_the_same_way() {
        for setup in [0x1a05, 0x1205, 0x180e, 0x1c0d, 0x1097, 0x2497, 0x1d05, 0x1905, 0x1105, 0x1507] {
            let mut vpm = numbered();
            let block = Block::from_setup(setup).expect("valid");
            let vector = Lanes(std::array::from_fn(|e| (0x0101_0101 * (e as u32 + 200)) & block.width.mask()));
            vpm.write(&mut block.clone(), &vector);
            assert_eq!(vpm.read(&block), vector, "{setup:x}");
        }
        assert_eq!(Block::from_setup(0x300), Err(FaultKind::ReservedSetup(0x300)));
    }
}
