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

/// Row that DMA loads arrive in, relative to the QPU's first.
pub const LOAD_ROW: u32 = 0;
/// Row that DMA stores leave from.
pub const STORE_ROW: u32 = 1;
/// First row for spilled values.
pub const FIRST_SPILL_ROW: u32 = 2;

impl VpmPlan {
    /// The division for this number of QPUs, or for any number.
    pub fn new(qpus: Option<u32>) -> VpmPlan {
        let max_qpus = qpus.unwrap_or(MOST_QPUS).clamp(1, MOST_QPUS);
        VpmPlan { rows: (ADDRESSABLE_ROWS / max_qpus).min(MOST_ROWS), max_qpus }
    }

    /// Spilled values that fit into the VPM.
    pub fn spill_rows(&self) -> u32 {
        self.rows - FIRST_SPILL_ROW
    }
}

/// Setup of a DMA load of one row of 16 words into `row`.
pub fn dma_load_row(row: u32) -> UniformSlot {
    UniformSlot::VpmSetup { word: 0x8301_1000 + (row << 4), shift: 4 }
}

/// Setup of a DMA load of one word into the first word of `row`; adding 1 goes to the next word.
pub fn dma_load_word(row: u32) -> UniformSlot {
    UniformSlot::VpmSetup { word: 0x8311_1000 + (row << 4), shift: 4 }
}

/// Setup of a DMA store of `row` as one row of 16 words.
pub fn dma_store_row(row: u32) -> UniformSlot {
    UniformSlot::VpmSetup { word: 0x8090_4000 + (row << 7), shift: 7 }
}

/// Setup of a DMA store of the first word of `row`; adding 8 goes to the next word.
pub fn dma_store_word(row: u32) -> UniformSlot {
    UniformSlot::VpmSetup { word: 0x8081_4000 + (row << 7), shift: 7 }
}

/// Setup of a read of one vector from `row`.
pub fn vpm_read(row: u32) -> UniformSlot {
    UniformSlot::VpmSetup { word: 0x0010_1a00 + row, shift: 0 }
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
        assert_eq!(word(dma_load_row(5)), 0x8301_1050);
        assert_eq!(word(dma_store_row(5)), 0x8090_4280);
        assert_eq!(word(vpm_read(7)), 0x0010_1a07);
        assert_eq!(word(vpm_write(0)), 0x0000_1a00);
    }
}
