//! The lines of memory in the L2 cache, which DMA stores go past.

use super::Lanes;

/// Bytes of a cache line.
pub const LINE: usize = 64;

/// Lines of the L2 cache.
pub const L2_LINES: u32 = 512;

/// What is noted of a line stays as it is while fewer lines than this have come since: a program that reads a line again and
/// again would write it down each time. So a line leaves when at least 448, at most 512 others have come since it was last
/// looked up.
pub const RECENT: u32 = L2_LINES / 8;

/// What a lookup finds in the caches of a region's lines. A DMA store goes past the caches: a word is stale where its line
/// was in the L2 cache when it was stored, and until the line has left it, which is when as many other lines as it holds
/// have come. The caches of the TMUs are smaller and lose lines sooner.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// For each line how many lines had come into the cache when it was last looked up, itself counted; and one bit per
    /// stale word. Empty before the first lookup.
    pub lines: Vec<[u32; 2]>,
    /// Whether there may be a stale word.
    pub any_stale: bool,
}

/// Lines that have come into the cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fills(pub u32);

/// The count begins where a line that was never looked up, with a count of 0, is not in the cache.
impl Default for Fills {
    fn default() -> Fills {
        Fills(L2_LINES)
    }
}

impl Fills {
    /// Far enough from the end of the numbers for any number of lookups between two looks at the count.
    const MOST: u32 = 1 << 31;

    /// Whether the counts should be made smaller.
    pub const fn is_great(self) -> bool {
        self.0 > Fills::MOST
    }

    const fn holds(self, seen: u32) -> bool {
        self.0 - seen < L2_LINES
    }

    /// Whether a line was looked up a short while ago, or has come since this count.
    const fn is_recent(self, seen: u32) -> bool {
        self.0 < seen || self.0 - seen < RECENT
    }
}

impl Lines {
    /// Makes room for what is noted of so many bytes.
    #[inline(always)]
    pub fn prepare(&mut self, bytes: usize) {
        if self.lines.is_empty() {
            self.lines = vec![[0; 2]; bytes.div_ceil(LINE)];
        }
    }

    /// One word by itself looks a line up.
    pub fn look_up(&mut self, line: usize, bytes: usize, fills: &mut Fills) {
        self.prepare(bytes);
        self.find(line, *fills, fills);
    }

    /// A lookup that began when `start` lines had come looks a line up.
    #[inline(always)]
    fn find(&mut self, line: usize, start: Fills, fills: &mut Fills) {
        let [seen, stale] = &mut self.lines[line];
        if start.is_recent(*seen) {
            return;
        }
        if start.holds(*seen) {
            *seen = start.0;
        } else {
            fills.0 += 1;
            (*seen, *stale) = (fills.0, 0);
        }
    }

    /// Makes the counts of the lines smaller, as that of all lines becomes 2 [`L2_LINES`].
    pub fn shrink(&mut self, fills: Fills) {
        for [seen, _] in &mut self.lines {
            *seen = if fills.holds(*seen) { 2 * L2_LINES - (fills.0 - *seen) } else { 0 };
        }
    }

    /// Reads a word per lane out of `bytes`, which begin at `base` and hold all of them; gives the lanes that are stale. What
    /// is in the cache when it begins is so for all lanes; native code does the same.
    pub fn gather(&mut self, bytes: &[u8], base: u32, addresses: &Lanes, out: &mut Lanes, fills: &mut Fills) -> u16 {
        self.prepare(bytes.len());
        let (start, mut last, mut stale) = (*fills, usize::MAX, 0);
        for (lane, (word, address)) in out.0.iter_mut().zip(&addresses.0).enumerate() {
            let at = ((address & !3) - base) as usize;
            if at / LINE != last {
                last = at / LINE;
                self.find(last, start, fills);
            }
            *word = bytes[at..].first_chunk().map_or(0, |word| u32::from_le_bytes(*word));
            if self.any_stale {
                stale |= u16::from(self.is_stale(at)) << lane;
            }
        }
        stale
    }

    #[inline]
    pub fn is_stale(&self, at: usize) -> bool {
        self.lines.get(at / LINE).is_some_and(|[_, stale]| stale >> (at / 4 % 16) & 1 == 1)
    }

    /// Notes the store of so many words from byte offset `at` on; whether there may be a stale word now, and could be none before.
    pub fn store_words(&mut self, at: usize, count: usize, fills: Fills) -> bool {
        let (before, mut word) = (self.any_stale, at);
        while word < at + 4 * count {
            let next = ((word / LINE + 1) * LINE).min(at + 4 * count);
            if let Some([seen, stale]) = self.lines.get_mut(word / LINE)
                && fills.holds(*seen)
            {
                *stale |= (0xffff >> (16 - (next - word) / 4)) << (word / 4 % 16);
                self.any_stale = true;
            }
            word = next;
        }
        self.any_stale != before
    }

    /// Notes the store of the word at byte offset `at`, or of a part of it.
    pub fn store(&mut self, at: usize, fills: Fills) -> bool {
        self.store_words(at & !3, 1, fills)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lookup of one word; whether it was stale.
    fn look(lines: &mut Lines, at: u32, fills: &mut Fills) -> bool {
        let mut out = Lanes::ZERO;
        lines.gather(&[0; 1 << 16], 0, &Lanes::splat(at), &mut out, fills) != 0
    }

    #[test]
    fn a_stored_word_is_stale_until_its_line_has_left() {
        let (mut lines, mut fills) = (Lines::default(), Fills::default());
        lines.store(64, fills);
        assert!(!look(&mut lines, 64, &mut fills), "nothing was in the cache");
        lines.store_words(60, 3, fills);
        assert_eq!([56, 60, 64, 68, 72].map(|at| look(&mut lines, at, &mut fills)), [false, false, true, true, false]);
        for line in 2..512 {
            look(&mut lines, 64 * line, &mut fills);
        }
        assert!(look(&mut lines, 68, &mut fills), "it was looked up again in the meantime");
        for line in 512..1024 {
            look(&mut lines, 64 * line, &mut fills);
        }
        assert!(!look(&mut lines, 68, &mut fills));
    }

    #[test]
    fn smaller_counts_mean_the_same() {
        let (mut lines, mut fills) = (Lines::default(), Fills(1 << 31));
        for line in 0..700 {
            look(&mut lines, 64 * line, &mut fills);
        }
        let cached = |lines: &Lines, fills: Fills| lines.lines.iter().map(|l| fills.holds(l[0])).collect::<Vec<_>>();
        let before = cached(&lines, fills);
        assert!(fills.is_great());
        lines.shrink(fills);
        assert_eq!(before, cached(&lines, Fills(2 * L2_LINES)));
        assert_eq!(before.iter().filter(|c| **c).count(), 512);
    }
}
