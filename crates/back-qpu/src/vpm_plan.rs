//! How the 64 addressable rows of the VPM are divided between the QPUs, and what each QPU uses its rows for.
//!
//! Setup words depend on the QPU, so the host computes them and passes them as uniforms.

use crate::abi::UniformSlot;

/// Rows of the VPM that programs can address (VideoCore IV guide p. 53; erratum HW-2253).
const ADDRESSABLE_ROWS: u32 = 64;
/// More rows per QPU would only hold more spilled values than any kernel has use for.
const MOST_ROWS: u32 = 16;
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

/// Setup of a DMA load of one word into the first word of `row`; adding 1 goes to the next word.
pub fn dma_load_word(row: u32) -> UniformSlot {
    UniformSlot::VpmSetup { word: 0x8311_1000 + (row << 4), shift: 4 }
}

/// Setup of a DMA store of `row` as one row of 16 words.
pub fn dma_store_row(row: u32) -> UniformSlot {
    UniformSlot::VpmSetup { word: 0x8090_4000 + (row << 7), shift: 7 }
}

/// Setup of a DMA store of `count` rows of 16 words from `row` on.
pub fn dma_store_rows(row: u32, count: u32) -> UniformSlot {
    UniformSlot::VpmSetup { word: 0x8010_4000 + (count << 23) + (row << 7), shift: 7 }
}

/// Setup of the distance between the rows of a DMA store in memory: `gap` bytes from the end of one to the start of the next.
pub const fn dma_store_gap(gap: u32) -> u32 {
    0xc000_0000 + gap
}

/// Setup of a DMA store of the first word of `row`; adding 8 goes to the next word.
pub fn dma_store_word(row: u32) -> UniformSlot {
    UniformSlot::VpmSetup { word: 0x8081_4000 + (row << 7), shift: 7 }
}

/// Setup of a read of one vector from `row`.
pub fn vpm_read(row: u32) -> UniformSlot {
    vpm_read_rows(row, 1)
}

/// Setup of a read of `count` vectors, from `row` on; 15 at most.
pub fn vpm_read_rows(row: u32, count: u32) -> UniformSlot {
    UniformSlot::VpmSetup { word: 0x0000_1a00 + (count << 20) + row, shift: 0 }
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
        assert_eq!(VpmPlan::new(Some(1)).rows, 16);
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
        assert_eq!(word(dma_store_row(5)), 0x8090_4280);
        assert_eq!(word(dma_store_rows(0, 16)), 0x8810_4000);
        assert_eq!(word(dma_store_rows(5, 1)), word(dma_store_row(5)));
        assert_eq!(dma_store_gap(64), 0xc000_0040);
        assert_eq!(word(vpm_read(7)), 0x0010_1a07);
        assert_eq!(word(vpm_write(0)), 0x0000_1a00);
    }
}
