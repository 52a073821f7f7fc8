//! Caches as the timing model sees them: which lines are present and since when, not what they hold.

use super::units::Ticks;

/// Bytes of a line in every cache of the chip.
pub const LINE_BYTES: u32 = 64;

/// A set-associative cache with least-recently-used replacement.
#[derive(Clone, Debug)]
pub struct Cache {
    ways: usize,
    /// Line number plus one (0 is empty) and the time from which it is there, most recently used first in each set.
    lines: Vec<(u32, Ticks)>,
}

impl Cache {
    /// An empty cache of `bytes`, `ways` lines per set.
    pub fn new(bytes: usize, ways: usize) -> Cache {
        Cache { ways, lines: vec![(0, 0); bytes / LINE_BYTES as usize] }
    }

    fn set(&mut self, line: u32) -> &mut [(u32, Ticks)] {
        let sets = self.lines.len() / self.ways;
        let first = line as usize % sets * self.ways;
        &mut self.lines[first..first + self.ways]
    }

    /// When a line is, was or will be there; `None` if it must be fetched. A line on its way counts as present: who asks
    /// for it too waits for the same fetch.
    pub fn lookup(&mut self, line: u32) -> Option<Ticks> {
        let set = self.set(line);
        let found = set.iter().position(|(tag, _)| *tag == line + 1)?;
        set[..=found].rotate_right(1);
        Some(set[0].1)
    }

    /// Puts a line that will be there at `ready` in place of the least recently used one of its set.
    pub fn insert(&mut self, line: u32, ready: Ticks) {
        let set = self.set(line);
        set.rotate_right(1);
        set[0] = (line + 1, ready);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(cache: &mut Cache, line: u32) -> bool {
        let found = cache.lookup(line).is_some();
        if !found {
            cache.insert(line, 0);
        }
        found
    }

    #[test]
    fn the_least_recently_used_line_leaves() {
        let mut cache = Cache::new(8 * 64, 2);
        // Four sets: lines 0, 4, 8 share one.
        let found = [0, 4, 0, 8, 0, 4].map(|line| access(&mut cache, line));
        assert_eq!(found, [false, false, true, false, true, false]);
        assert!(!access(&mut cache, 1) && access(&mut cache, 1));
    }

    #[test]
    fn a_direct_mapped_cache_keeps_one_line_per_set() {
        let mut cache = Cache::new(4096, 1);
        assert_eq!([0, 64, 0].map(|line| access(&mut cache, line)), [false, false, false]);
        cache.insert(3, 77);
        assert_eq!(cache.lookup(3), Some(77));
    }
}
