//! The lines of memory in the L2 cache, which DMA stores go past.

use super::Lanes;

/// Bytes of a cache line.
pub const LINE: usize = 64;

/// Lines of the L2 cache.
const L2_LINES: u64 = 512;

/// What a lookup finds in the caches of a region's lines. A DMA store goes past the caches: a word is stale where its line
/// was in the L2 cache when it was stored, and until the line has left it, which is when as many other lines as it holds
/// have come. The caches of the TMUs are smaller and lose lines sooner.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// For each line how many lines had come into the cache when it was last looked up, itself counted; 0 for never.
    seen: Vec<u64>,
    /// One bit per stale word; empty until there is one.
    stale: Vec<u64>,
}

impl Lines {
    #[inline(always)]
    pub fn look_up(&mut self, line: usize, bytes: usize, fills: &mut u64) {
        if self.seen.is_empty() {
            self.seen = vec![0; bytes.div_ceil(LINE)];
        }
        if !self.is_cached(line, *fills) {
            *fills += 1;
            if let Some(bits) = self.stale.get_mut(line / 4) {
                *bits &= !(0xffff << (line % 4 * 16));
            }
        }
        self.seen[line] = *fills;
    }

    #[inline(always)]
    fn is_cached(&self, line: usize, fills: u64) -> bool {
        self.seen.get(line).is_some_and(|seen| *seen != 0 && fills - seen < L2_LINES)
    }

    /// Reads a word per lane out of `bytes`, which begin at `base` and hold all of them; gives the lanes that are stale.
    pub fn gather(&mut self, bytes: &[u8], base: u32, addresses: &Lanes, out: &mut Lanes, fills: &mut u64) -> u16 {
        let (mut last, mut stale) = (usize::MAX, 0);
        for (lane, (word, address)) in out.0.iter_mut().zip(&addresses.0).enumerate() {
            let at = ((address & !3) - base) as usize;
            if at / LINE != last {
                last = at / LINE;
                self.look_up(last, bytes.len(), fills);
            }
            *word = bytes[at..].first_chunk().map_or(0, |word| u32::from_le_bytes(*word));
            if !self.stale.is_empty() {
                stale |= u16::from(self.is_stale(at)) << lane;
            }
        }
        stale
    }

    #[inline]
    pub fn is_stale(&self, at: usize) -> bool {
        self.stale.get(at / 256).is_some_and(|bits| bits >> (at / 4 % 64) & 1 == 1)
    }

    /// Notes the store of so many words from byte offset `at` on.
    pub fn store_words(&mut self, at: usize, count: usize, fills: u64) {
        let mut word = at;
        while word < at + 4 * count {
            let next = (word / LINE + 1) * LINE;
            if self.is_cached(word / LINE, fills) {
                for at in (word..next.min(at + 4 * count)).step_by(4) {
                    self.store(at, fills);
                }
            }
            word = next;
        }
    }

    /// Notes the store of the word at byte offset `at`.
    pub fn store(&mut self, at: usize, fills: u64) {
        if self.is_cached(at / LINE, fills) {
            if self.stale.is_empty() {
                self.stale = vec![0; self.seen.len().div_ceil(4)];
            }
            self.stale[at / 256] |= 1 << (at / 4 % 64);
        }
    }
}
