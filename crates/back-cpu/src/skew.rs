//! Skewed tiles: how steps that follow one another are computed a few rows at a time, several steps for each.
//!
//! A *tile* is a band of rows; in it each step of a *block* of steps computes its rows, those of later steps some rows further
//! back. So a row is still in the cache when the next step reads it, and a block goes through memory once. What each step computes,
//! and from what, is what it is step by step: only the order of rows that have nothing to do with each other is another.
//!
//! That holds if whatever two steps both touch, of which one writes it, is touched by the earlier step first. [`distance`] says how many
//! rows further on the earlier step may lie that touches something; by as many rows the later step stays behind.

use std::ops::Range;

/// Elements of memory that the groups of a step touch, as [`crate::reach::Touch`] has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// What distinguishes one buffer from another.
    pub memory: usize,
    pub write: bool,
    pub groups: (u32, u32),
    pub elements: (i64, i64),
    pub stride: i64,
}

/// A step, as one of a few kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    pub areas: Vec<Area>,
    /// Groups along the first axis.
    pub groups: u32,
    /// The row of group `g` is `(start + stride * g) / row`.
    pub start: i64,
    pub stride: i64,
    pub row: i64,
    /// Groups are cut where turns of the interior's code begin: so many groups each, from one on.
    pub turn: u32,
    pub turns_from: u32,
}

/// Most groups that are compared one by one.
const COMPARED: u32 = 4096;

impl Kind {
    /// The row that a group belongs to.
    pub fn place(&self, group: u32) -> i64 {
        (self.start + self.stride * i64::from(group)).div_euclid(self.row)
    }

    /// The first group whose row is not below this one, at the beginning of a turn.
    fn cut(&self, row: i64) -> u32 {
        let least = row.saturating_mul(self.row) - self.start;
        let group = (-(-least).div_euclid(self.stride)).clamp(0, self.groups.into()) as u32;
        let back = if group > self.turns_from { (group - self.turns_from) % self.turn } else { 0 };
        if group == self.groups { group } else { group - back }
    }

    /// By how many rows a group may come later than its row says, because of [`Kind::cut`].
    fn late(&self) -> i64 {
        (i64::from(self.turn - 1) * self.stride + self.row - 1).div_euclid(self.row)
    }
}

impl Area {
    /// The elements of a group.
    fn of(&self, group: u32) -> (i64, i64) {
        let further = self.stride * i64::from(group - self.groups.0);
        (self.elements.0 + further, self.elements.1 + further)
    }

    /// The first group that touches an element of these.
    fn first_in(&self, (low, high): (i64, i64)) -> Option<u32> {
        let (first, end) = self.groups;
        let group = if self.stride > 0 && self.elements.1 < low {
            let more = (low - self.elements.1 + self.stride - 1) / self.stride;
            u32::try_from(more).ok()?.checked_add(first)?
        } else {
            first
        };
        let (from, to) = self.of(group.min(end));
        (group < end && from <= high && to >= low).then_some(group)
    }
}

/// How many rows further on than a row of `after` a row of `before` may lie at most that touches the same as it, one of them to
/// write; nothing if no row does.
pub fn distance(before: &Kind, after: &Kind) -> Option<i64> {
    let mut most: Option<i64> = None;
    for a in &before.areas {
        for b in after.areas.iter().filter(|b| b.memory == a.memory && (a.write || b.write)) {
            let (first, end) = a.groups;
            let far = |range: Range<u32>| {
                let rows = range.filter_map(|g| b.first_in(a.of(g)).map(|h| before.place(g) - after.place(h)));
                rows.max()
            };
            let found = if end - first <= COMPARED {
                far(first..end)
            } else if a.stride == b.stride || b.stride == 0 {
                // Rows in the middle are like those at the end.
                far(first..first + COMPARED / 2).max(far(end - COMPARED / 2..end))
            } else {
                Some(i64::MAX / 4)
            };
            most = most.max(found);
        }
    }
    most
}

/// What is known of the steps of a loop: which kinds there are, and how far apart they must stay.
#[derive(Debug)]
pub struct Hazards {
    pub kinds: Vec<Kind>,
    /// For each pair, the earlier first.
    distances: Vec<Option<i64>>,
    /// The rows of all.
    rows: (i64, i64),
}

/// The order of the steps of a block.
#[derive(Debug, PartialEq, Eq)]
pub struct Block {
    /// By how many rows each step stays behind.
    pub shifts: Vec<i64>,
    /// For each step, where tiles begin and the last ends, in groups.
    pub cuts: Vec<Vec<u32>>,
    /// How many tiles further a block must be than the one behind it.
    pub lag: usize,
}

impl Hazards {
    /// Compares all kinds with each other.
    pub fn of(kinds: Vec<Kind>) -> Hazards {
        let distances = kinds.iter().flat_map(|a| kinds.iter().map(|b| distance(a, b))).collect();
        let low = kinds.iter().map(|k| k.place(0)).min().unwrap_or(0);
        let high = kinds.iter().map(|k| k.place(k.groups.saturating_sub(1))).max().unwrap_or(0);
        Hazards { kinds, distances, rows: (low, high + 1) }
    }

    /// How many rows there are.
    pub fn rows(&self) -> i64 {
        self.rows.1 - self.rows.0
    }

    /// By how many rows a step must stay behind an earlier one.
    fn behind(&self, before: usize, after: usize) -> Option<i64> {
        let distance = self.distances[before * self.kinds.len() + after]?;
        Some(distance + self.kinds[before].late())
    }

    /// By how many rows steps of these kinds stay behind.
    pub fn shifts(&self, steps: &[usize]) -> Vec<i64> {
        let mut shifts: Vec<i64> = Vec::new();
        for &after in steps {
            let least = |(before, shift): (&usize, &i64)| self.behind(*before, after).map(|d| shift + d);
            let shift = steps.iter().zip(&shifts).filter_map(least).max().unwrap_or(0).max(0);
            shifts.push(shift);
        }
        shifts
    }

    /// How many tiles of so many rows a block with these shifts must be ahead of the next.
    pub fn lag(&self, shifts: &[i64], size: i64) -> usize {
        let kinds = 0..self.kinds.len();
        let apart = kinds.clone().flat_map(|a| kinds.clone().filter_map(move |b| self.behind(a, b))).max();
        let most = shifts.iter().max().unwrap_or(&0) + apart.unwrap_or(0);
        usize::try_from(most.max(0) / size + 1).unwrap_or(usize::MAX)
    }

    /// How many tiles of so many rows a block with these shifts has.
    pub fn tiles(&self, shifts: &[i64], size: i64) -> usize {
        let rows = self.rows() + shifts.iter().max().unwrap_or(&0);
        usize::try_from((rows + size - 1) / size).unwrap_or(usize::MAX)
    }

    /// The order of steps of these kinds in tiles of so many rows.
    pub fn block(&self, steps: &[usize], size: i64) -> Block {
        let shifts = self.shifts(steps);
        let tiles = self.tiles(&shifts, size);
        let cuts = |(kind, shift): (&usize, &i64)| {
            let kind = &self.kinds[*kind];
            let cut = |tile: usize| match tile {
                0 => 0,
                _ if tile == tiles => kind.groups,
                _ => kind.cut(self.rows.0 + tile as i64 * size - shift),
            };
            (0..=tiles).map(cut).collect()
        };
        Block { cuts: steps.iter().zip(&shifts).map(cuts).collect(), lag: self.lag(&shifts, size), shifts }
    }
}


#[cfg(test)]
mod tests;
