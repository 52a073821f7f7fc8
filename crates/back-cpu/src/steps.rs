//! What is known of launches that are steps of a time loop: what their groups touch, and which order of them is faster.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// Elements of a buffer that groups touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// The buffer, by [`quadra_kir::Buf::index`].
    pub buf: usize,
    pub write: bool,
    /// Groups along the first axis, from the first to below the end.
    pub groups: (u32, u32),
    /// The elements of the first of them, both included.
    pub elements: (i64, i64),
    /// How many elements further those of the next group lie.
    pub stride: i64,
}

/// What is known of the steps of a time loop that are launches of one code.
#[derive(Debug, Default)]
pub struct Steps {
    /// What groups touch, once somebody has asked, or why that is not known.
    pub touches: OnceLock<Result<Vec<Touch>, &'static str>>,
    pub choice: Choice,
}

/// Whether tiles have been faster so far, or one step after the other: processors differ in what their caches bring.
#[derive(Debug, Default)]
pub struct Choice {
    runs: AtomicU32,
    /// The least picoseconds that a vector instruction has taken: step by step, and in tiles.
    best: [AtomicU64; 2],
}

/// After so many runs the slower way is tried again: something else may have been at work.
const TRIED_AGAIN: u32 = 32;

impl Choice {
    /// Whether to take tiles this time.
    pub fn tiles(&self) -> bool {
        let best = |n: usize| self.best[n].load(Ordering::Relaxed);
        match self.runs.fetch_add(1, Ordering::Relaxed) {
            0 => true,
            1 => false,
            run => (best(1) <= best(0)) != (run % TRIED_AGAIN == TRIED_AGAIN - 1),
        }
    }

    /// Notes how long so many vector instructions have taken.
    pub fn note(&self, tiles: bool, work: u64, time: Duration) {
        let each = (time.as_secs_f64() * 1e12 / work.max(1) as f64) as u64;
        let best = &self.best[usize::from(tiles)];
        let known = best.load(Ordering::Relaxed);
        best.store(if known == 0 { each } else { known.min(each) }, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_are_tried_and_the_faster_is_kept() {
        let run = |times: [u64; 2], many: usize| {
            let choice = Choice::default();
            let step = || {
                let tiles = choice.tiles();
                choice.note(tiles, 1000, Duration::from_nanos(times[usize::from(tiles)]));
                tiles
            };
            (0..many).map(|_| step()).collect::<Vec<_>>()
        };
        assert_eq!(run([200, 100], 6), [true, false, true, true, true, true]);
        assert_eq!(run([100, 200], 6), [true, false, false, false, false, false]);
        assert_eq!(run([100, 200], 64).iter().filter(|t| **t).count(), 3, "the slower one again now and then");
    }
}
