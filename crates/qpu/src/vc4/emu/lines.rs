//! The lines of memory in the L2 cache, which DMA stores go past.

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
    #[inline]
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

    fn is_cached(&self, line: usize, fills: u64) -> bool {
        self.seen.get(line).is_some_and(|seen| *seen != 0 && fills - seen < L2_LINES)
    }

    #[inline]
    pub fn is_stale(&self, at: usize) -> bool {
        self.stale.get(at / 256).is_some_and(|bits| bits >> (at / 4 % 64) & 1 == 1)
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
