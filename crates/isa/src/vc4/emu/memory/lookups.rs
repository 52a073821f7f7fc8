//! Memory as native code looks words up in it.

use super::{Memory, Place, Reader};
use crate::vc4::emu::lines::{Fills, L2_LINES, LINE};
use crate::vc4::emu::native;

/// Bytes of a region that caches near a processor do not hold.
const FAR: usize = 1 << 19;
/// How many transfers ahead the processor is told of single rows.
const AHEAD: u32 = 8;

/// A part of memory in which words can be looked up without a message.
#[derive(Debug)]
pub struct Lookups<'m> {
    /// Byte address of `bytes`.
    pub base: u32,
    pub bytes: &'m [u8],
    /// What has to be noted of each line of 64 bytes; see `Lines`.
    pub lines: Option<&'m mut [[u32; 2]]>,
    /// Whether lines may hold stale words.
    pub any_stale: bool,
}

impl Memory {
    /// The part around an address, if there is one. It stays where it is until something is stored.
    pub fn lookups(&mut self, address: u32) -> Option<Lookups<'_>> {
        let Place::Inside(region, _) = self.find(address & !3) else { return None };
        if self.lenient && self.regions[region].writable {
            let region = &mut self.regions[region];
            region.lines.prepare(region.bytes.len());
            let any_stale = region.lines.any_stale;
            let lines = Some(region.lines.lines.as_mut_slice());
            return Some(Lookups { base: region.base, bytes: &region.bytes, lines, any_stale });
        }
        let (base, bytes) = self.unstored(Reader::Tmu, address & !3)?;
        Some(Lookups { base, bytes, lines: None, any_stale: false })
    }

    /// Tells the processor of what a transfer of so many rows will use, `pitch` bytes apart, and of what the next one will if
    /// it goes on as this one follows the last: a row uses several places far from one another, and rows in different pages,
    /// which no processor expects by itself.
    pub fn approach(&mut self, address: u32, pitch: u32, rows: u32) {
        let step = address.wrapping_sub(std::mem::replace(&mut self.last_row, address));
        let Place::Inside(region, _) = self.find(address) else { return };
        let region = &self.regions[region];
        if region.bytes.len() < FAR {
            return;
        }
        let (first, step, rows) = if rows > 1 { (1, pitch, rows) } else { (AHEAD, step, AHEAD + 1) };
        for row in first..rows {
            let at = address.wrapping_add(row.wrapping_mul(step)).wrapping_sub(region.base) as usize;
            if at < region.bytes.len() {
                native::expect(&region.bytes, at);
                native::expect(&region.lines.lines, at / LINE);
                native::expect(&region.stored, at / 256);
            }
        }
    }

    /// The count of lines that lookups have brought into the L2 cache.
    pub fn fills(&mut self) -> &mut u32 {
        &mut self.fills.0
    }

    /// Keeps the counts of lines in their range. To be called every few million lookups.
    #[inline(always)]
    pub fn settle(&mut self) {
        if self.fills.is_great() {
            self.shrink();
        }
    }

    #[cold]
    fn shrink(&mut self) {
        for region in &mut self.regions {
            region.lines.shrink(self.fills);
        }
        self.fills = Fills(2 * L2_LINES);
    }
}
