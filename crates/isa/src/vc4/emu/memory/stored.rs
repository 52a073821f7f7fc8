//! What was stored in this launch, word by word and by larger pieces.

use super::Region;

/// Bytes of a region that [`Region::touched`] keeps one bit for.
const GRANULE: usize = 1024;

impl Region {
    pub(super) fn is_stored(&self, at: usize) -> bool {
        self.stored.get(at / 256).is_some_and(|bits| bits >> (at / 4 % 64) & 1 == 1)
    }

    /// Whether something was stored in a granule.
    fn is_touched(&self, granule: usize) -> bool {
        self.touched.get(granule / 64).is_some_and(|bits| bits >> (granule % 64) & 1 == 1)
    }

    /// Notes that so many words from byte offset `at` on were stored; whether one is the first of its granule.
    #[inline]
    pub(super) fn note_stored(&mut self, at: usize, count: usize) -> bool {
        if self.stored.is_empty() {
            self.stored = vec![0; self.bytes.len().div_ceil(256)];
            self.touched = vec![0; self.bytes.len().div_ceil(64 * GRANULE)];
        }
        let (mut word, end, mut first) = (at / 4, at / 4 + count, false);
        while word < end {
            let next = (word / 64 + 1) * 64;
            let here = next.min(end) - word;
            self.stored[word / 64] |= u64::MAX >> (64 - here) << (word % 64);
            // Granules hold several times as many words.
            let granule = 4 * word / GRANULE;
            first |= !self.is_touched(granule);
            self.touched[granule / 64] |= 1 << (granule % 64);
            word = next;
        }
        first
    }

    /// The bytes around byte offset `at`, from and to which nothing was stored in this launch; empty where something was.
    pub(super) fn untouched(&self, at: usize) -> std::ops::Range<usize> {
        let here = at / GRANULE;
        if self.stored.is_empty() {
            return 0..self.bytes.len();
        }
        if self.is_touched(here) {
            return 0..0;
        }
        let (word, bit) = (here / 64, here % 64);
        let below = (0..=word).rev().find_map(|w| {
            let bits = if w == word { self.touched[w] & ((1 << bit) - 1) } else { self.touched[w] };
            (bits != 0).then(|| w * 64 + 64 - bits.leading_zeros() as usize)
        });
        let above = (word..self.touched.len()).find_map(|w| {
            let bits = if w == word { self.touched[w] >> bit << bit } else { self.touched[w] };
            (bits != 0).then(|| w * 64 + bits.trailing_zeros() as usize)
        });
        let end = above.map_or(self.bytes.len(), |granule| granule * GRANULE);
        below.map_or(0, |granule| granule * GRANULE)..end.min(self.bytes.len())
    }
}
