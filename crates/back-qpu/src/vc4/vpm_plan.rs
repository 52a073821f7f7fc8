//! How the 64 addressable rows of the VPM are divided between the QPUs, and what each QPU uses its rows for.
//!
//! Setup words depend on the QPU, so the host computes them and passes them as uniforms.

use crate::vc4::abi::UniformSlot;

/// More rows at once would keep more registers at once if their values are spilled.
pub const MOST_TOGETHER: u32 = 4;

/// Rows of the VPM that programs can address (VideoCore IV guide p. 53; erratum HW-2253).
const ADDRESSABLE_ROWS: u32 = 64;
/// More rows per QPU would only hold more spilled values than any kernel has use for, or more rows for each store than are
/// worth it.
const MOST_ROWS: u32 = 32;
/// QPUs of the chip.
pub const MOST_QPUS: u32 = 12;

/// The rows of one QPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VpmPlan {
    /// Rows per QPU.
    pub rows: u32,
    /// The most QPUs this division serves.
    pub max_qpus: u32,
}

/// Row that spilled values pass through on their way to and from memory, relative to the QPU's first.
pub const SPILL_ROW: u32 = 0;
/// First row that DMA stores leave from and loads arrive in. Behind the last one that the kernel's transfers use come the
/// rows of spilled values.
pub const FIRST_STORE_ROW: u32 = 1;

impl VpmPlan {
    /// The division for this number of QPUs, or for any number.
    pub fn new(qpus: Option<u32>) -> VpmPlan {
        let max_qpus = qpus.unwrap_or(MOST_QPUS).clamp(1, MOST_QPUS);
        VpmPlan { rows: (ADDRESSABLE_ROWS / max_qpus).min(MOST_ROWS), max_qpus }
    }

    /// Rows that stores and loads can have.
    pub fn transfer_rows(&self) -> u32 {
        self.rows - FIRST_STORE_ROW
    }

    /// Rows for stores in a kernel whose blocks store up to `wanted` rows each, `largest` of them at once. If no store needs
    /// several, they take turns in at most half of the rows, and leave the others to spilled values.
    pub fn rows_for_stores(&self, wanted: u32, largest: u32) -> u32 {
        let most = if largest > 1 { self.transfer_rows() } else { self.rows / 2 };
        wanted.clamp(1, most)
    }
}

/// Setup of a DMA load of `count` rows of 16 words into `row` and on; 15 at most. They lie `close` one behind the other in
/// memory, or as far apart as [`dma_load_pitch`] said.
pub fn dma_load_rows(row: u32, count: u32, close: bool) -> UniformSlot {
    let pitch = if close { 3 << 24 } else { 0 };
    UniformSlot::VpmSetup { word: 0x8000_1000 + pitch + (count << 16) + (row << 4), shift: 4 }
}

/// Setup of the distance between the rows of a DMA load in memory: `bytes` from the start of one to the start of the next.
pub const fn dma_load_pitch(bytes: u32) -> u32 {
    0x9000_0000 + bytes
}

/// The size of the elements of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    Byte,
    Half,
    Word,
}

impl Width {
    /// The size of elements of so many bytes, if transfers have it.
    pub fn of_bytes(bytes: u32) -> Option<Width> {
        match bytes {
            1 => Some(Width::Byte),
            2 => Some(Width::Half),
            4 => Some(Width::Word),
            _ => None,
        }
    }

    /// Its bytes as a power of two.
    pub fn log2(self) -> u32 {
        match self {
            Width::Byte => 0,
            Width::Half => 1,
            Width::Word => 2,
        }
    }

    /// MODEW of a DMA setup: the lowest byte or half of a word.
    fn mode(self) -> u32 {
        match self {
            Width::Byte => 4,
            Width::Half => 2,
            Width::Word => 0,
        }
    }

    /// Bits of a setup for vectors, and where its row field starts: elements packed from the start of a row.
    fn packed(self, row: u32) -> (u32, u32) {
        let shift = 2 - self.log2();
        (self.log2() << 8 | row << shift, shift)
    }
}

/// Setup of a DMA load of one element into the lowest part of the first word of `row`; adding 1 goes to the next word.
pub fn dma_load_one(row: u32, width: Width) -> UniformSlot {
    UniformSlot::VpmSetup { word: 0x8311_1000 + (width.mode() << 28) + (row << 4), shift: 4 }
}

/// Setup of a DMA load of 16 elements, packed, into `row`.
pub fn dma_load_packed(row: u32, width: Width) -> UniformSlot {
    UniformSlot::VpmSetup { word: 0x8301_1000 + (width.mode() << 28) + (row << 4), shift: 4 }
}

/// Setup of a DMA store of `row` as one row of 16 elements, packed if they are narrow.
pub fn dma_store_row(row: u32, width: Width) -> UniformSlot {
    UniformSlot::VpmSetup { word: 0x8090_4000 + (row << 7) + width.mode(), shift: 7 }
}

/// Setup of a DMA store of `count` rows of 16 words from `row` on.
pub fn dma_store_rows(row: u32, count: u32) -> UniformSlot {
    UniformSlot::VpmSetup { word: 0x8010_4000 + (count << 23) + (row << 7), shift: 7 }
}

/// Setup of a DMA store of the 16 words of `row` as a row of memory each.
pub fn dma_store_words(row: u32) -> UniformSlot {
    UniformSlot::VpmSetup { word: 0x8801_0000 + (row << 7), shift: 7 }
}

/// The same of none of its words: adding 1 << 23 stores one more, adding 8 begins with the next.
pub fn dma_store_no_words(row: u32) -> UniformSlot {
    UniformSlot::VpmSetup { word: 0x8001_0000 + (row << 7), shift: 7 }
}

/// Setup of a DMA store of none of the words of `row`: adding 1 << 16 stores one more, adding 8 begins with the next.
pub fn dma_store_none(row: u32) -> UniformSlot {
    UniformSlot::VpmSetup { word: 0x8080_4000 + (row << 7), shift: 7 }
}

/// Setup of the distance between the rows of a DMA store in memory: `gap` bytes from the end of one to the start of the next.
pub const fn dma_store_gap(gap: u32) -> u32 {
    0xc000_0000 + gap
}

/// Setup of a DMA store of one element, the lowest part of the first word of `row`; adding 8 goes to the next word.
pub fn dma_store_one(row: u32, width: Width) -> UniformSlot {
    UniformSlot::VpmSetup { word: 0x8081_4000 + (row << 7) + width.mode(), shift: 7 }
}

/// Setup of a read of one vector from `row`.
pub fn vpm_read(row: u32) -> UniformSlot {
    vpm_read_rows(row, 1)
}

/// Setup of a read of `count` vectors, from `row` on; 15 at most.
pub fn vpm_read_rows(row: u32, count: u32) -> UniformSlot {
    UniformSlot::VpmSetup { word: 0x0000_1a00 + (count << 20) + row, shift: 0 }
}

/// Setup of a read of the 16 elements packed in `row`.
pub fn vpm_read_packed(row: u32, width: Width) -> UniformSlot {
    let (bits, shift) = width.packed(row);
    UniformSlot::VpmSetup { word: 0x0010_1800 + bits, shift }
}

/// Setup of a write of 16 elements, packed, to `row`.
pub fn vpm_write_packed(row: u32, width: Width) -> UniformSlot {
    let (bits, shift) = width.packed(row);
    UniformSlot::VpmSetup { word: 0x0000_1800 + bits, shift }
}

/// Setup of writes of vectors from `row` on.
pub fn vpm_write(row: u32) -> UniformSlot {
    UniformSlot::VpmSetup { word: 0x0000_1a00 + row, shift: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twelve_qpus_have_five_rows_each() {
        assert_eq!(VpmPlan::new(None), VpmPlan { rows: 5, max_qpus: 12 });
        assert_eq!(VpmPlan::new(Some(12)).rows, 5);
        assert_eq!(VpmPlan::new(Some(5)).rows, 12);
        assert_eq!(VpmPlan::new(Some(1)).rows, 32);
    }

    #[test]
    fn setup_words_are_those_of_the_public_assemblers() {
        // vc4asm's vc4.qinc and py-videocore agree on these.
        let word = |slot: UniformSlot| match slot {
            UniformSlot::VpmSetup { word, .. } => word,
            other => panic!("{other:?}"),
        };
        assert_eq!(word(dma_load_rows(5, 1, true)), 0x8301_1050);
        assert_eq!(word(dma_load_rows(0, 4, true)), 0x8304_1000);
        assert_eq!(word(dma_load_rows(0, 4, false)), 0x8004_1000);
        assert_eq!(dma_load_pitch(768), 0x9000_0300);
        assert_eq!(word(vpm_read_rows(2, 4)), 0x0040_1a02);
        assert_eq!(word(dma_store_row(5, Width::Word)), 0x8090_4280);
        assert_eq!(word(dma_store_rows(0, 16)), 0x8810_4000);
        assert_eq!(word(dma_store_rows(5, 1)), word(dma_store_row(5, Width::Word)));
        assert_eq!(dma_store_gap(64), 0xc000_0040);
        // `vdw_setup_0(16, 1, dma_v32(5, 0))`.
        assert_eq!(word(dma_store_words(5)), 0x8801_0280);
        assert_eq!(word(vpm_read(7)), 0x0010_1a07);
        assert_eq!(word(vpm_write(0)), 0x0000_1a00);
        assert_eq!(word(vpm_write_packed(3, Width::Word)), word(vpm_write(3)));
        assert_eq!(word(vpm_read_packed(3, Width::Word)), word(vpm_read(3)));
    }

    #[test]
    fn setups_of_narrow_elements_are_those_of_the_guide() {
        use quadra_isa::vc4::setup::{Cell, Vector};
        let word = |slot: UniformSlot| match slot {
            UniformSlot::VpmSetup { word, shift } => (word, shift),
            other => panic!("{other:?}"),
        };
        let bits = |slot: UniformSlot| word(slot).0 & 0xfff;
        assert_eq!(bits(vpm_read_packed(5, Width::Byte)), Vector::H8p { y: 5, b: 0 }.bits().unwrap());
        assert_eq!(bits(vpm_write_packed(5, Width::Half)), Vector::H16p { y: 5, h: 0 }.bits().unwrap());
        assert_eq!([Width::Byte, Width::Half].map(|w| word(vpm_read_packed(0, w)).1), [2, 1]);
        let store = |slot: UniformSlot| word(slot).0 & 0x7fff;
        assert_eq!(store(dma_store_row(5, Width::Byte)), Cell::H8 { y: 5, x: 0, b: 0 }.store_bits().unwrap());
        assert_eq!(store(dma_store_one(5, Width::Half)), Cell::H16 { y: 5, x: 0, h: 0 }.store_bits().unwrap());
        let load = |slot: UniformSlot| word(slot).0 & 0x7000_ffff;
        assert_eq!(load(dma_load_packed(5, Width::Byte)), Cell::H8 { y: 5, x: 0, b: 0 }.load_bits(1).unwrap());
        assert_eq!(load(dma_load_one(5, Width::Half)), Cell::H16 { y: 5, x: 0, h: 0 }.load_bits(1).unwrap());
    }
}
