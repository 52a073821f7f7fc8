//! Skewed tiles: how steps that follow one another are computed a few rows at a time, several steps for each.
//!
//! A *tile* is a band of rows; in it each step of a *block* of steps computes its rows, those of later steps some rows further
//! back. So a row is still in the cache when the next step reads it, and a block goes through memory once. What each step computes,
//! and from what, is what it is step by step: only the order of rows that have nothing to do with each other is another.
//!
//! That holds if whatever two steps both touch, of which one writes it, is touched by the earlier step first. [`distance`] says how many
//! rows further on the earlier step may lie that touches something; by as many rows the later step stays behind.

use std::ops::Range;

/// Elements of memory that the groups of a step touch, as [`crate::steps::Touch`] has it.
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
    /// Where rows are folded: from this group on they are counted from the other end, which is this row. So the first row and the
    /// last are next to each other, as they are for a periodic border.
    pub fold: Option<(u32, i64)>,
}

/// Most groups that are compared one by one.
const COMPARED: u32 = 4096;
/// More rows than any array has.
const FAR: i64 = 1 << 50;

impl Kind {
    /// The row that a group belongs to, where nothing is folded.
    fn row(&self, group: u32) -> i64 {
        (self.start + self.stride * i64::from(group)).div_euclid(self.row)
    }

    /// The row that a group belongs to.
    pub fn place(&self, group: u32) -> i64 {
        match self.fold {
            Some((half, last)) if group >= half => last - self.row(group),
            _ => self.row(group),
        }
    }

    /// The lowest row of some groups that follow each other.
    fn lowest(&self, first: u32, last: u32) -> i64 {
        self.place(first).min(self.place(last))
    }

    /// The first group whose row is not below this one.
    fn first_of(&self, row: i64) -> u32 {
        let least = row.saturating_mul(self.row) - self.start;
        (-(-least).div_euclid(self.stride)).clamp(0, self.groups.into()) as u32
    }

    /// How many groups stand between the begin of a turn and this one.
    fn within_turn(&self, group: u32) -> u32 {
        if group > self.turns_from { (group - self.turns_from) % self.turn } else { 0 }
    }

    /// The first group whose row is not below this one, at the beginning of a turn.
    fn cut(&self, row: i64) -> u32 {
        let group = self.first_of(row);
        let cut = if group == self.groups { group } else { group - self.within_turn(group) };
        self.fold.map_or(cut, |(half, _)| cut.min(half))
    }

    /// The same of the groups that are counted from the other end: the first whose row is below this one.
    fn cut_back(&self, row: i64) -> u32 {
        let Some((half, last)) = self.fold else { return self.groups };
        let group = self.first_of(last - row + 1);
        let into = self.within_turn(group);
        let next = if into > 0 { group + self.turn - into } else { group };
        next.clamp(half, self.groups)
    }

    /// The same steps with rows that are folded, `last` being what the last row of all and the first add up to.
    fn folded(&self, (low, end): (i64, i64)) -> Kind {
        let middle = self.first_of(low + (end - low) / 2);
        let half = middle - self.within_turn(middle);
        Kind { fold: Some((half, low + end - 1)), ..self.clone() }
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

    /// The first group and the last that touch an element of these.
    fn all_in(&self, (low, high): (i64, i64)) -> Option<(u32, u32)> {
        let (first, end) = self.groups;
        if first == end || self.elements.0 > high || self.of(end - 1).1 < low {
            return None;
        }
        if self.stride == 0 {
            return Some((first, end - 1));
        }
        let before = ((low - self.elements.1 + self.stride - 1) / self.stride).max(0);
        let behind = (high - self.elements.0) / self.stride;
        let (from, to) = (i64::from(first) + before, (i64::from(first) + behind).min(i64::from(end) - 1));
        (from <= to).then_some((from as u32, to as u32))
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
                let lowest = |g: u32| b.all_in(a.of(g)).map(|(first, last)| after.lowest(first, last));
                range.filter_map(|g| lowest(g).map(|row| before.place(g) - row)).max()
            };
            let found = if end - first <= COMPARED {
                far(first..end)
            } else if a.stride == b.stride || b.stride == 0 {
                // Rows in between are like those next to them.
                let part = COMPARED / 4;
                let middle = before.fold.map_or(first, |f| f.0).clamp(first + part, end - part);
                far(first..first + part).max(far(middle - part..middle + part)).max(far(end - part..end))
            } else {
                Some(FAR)
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
    /// The same of groups that are counted from the other end, from there.
    pub back: Vec<Vec<u32>>,
    /// How many tiles further a block must be than the one behind it.
    pub lag: usize,
}

impl Hazards {
    /// Compares all kinds with each other.
    pub fn of(kinds: Vec<Kind>) -> Hazards {
        let distances = kinds.iter().flat_map(|a| kinds.iter().map(|b| distance(a, b))).collect();
        let low = kinds.iter().map(|k| k.row(0)).min().unwrap_or(0);
        let high = kinds.iter().map(|k| k.row(k.groups.saturating_sub(1))).max().unwrap_or(0);
        let middle = |k: &Kind| k.fold.map(|(half, last)| k.row(half.saturating_sub(1)).max(last - k.row(half)));
        let high = kinds.iter().filter_map(middle).max().unwrap_or(high);
        Hazards { kinds, distances, rows: (low, high + 1) }
    }

    /// The same steps with the two halves of the rows side by side.
    pub fn folded(&self) -> Hazards {
        Hazards::of(self.kinds.iter().map(|k| k.folded(self.rows)).collect())
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
                _ if tile == tiles => kind.fold.map_or(kind.groups, |f| f.0),
                _ => kind.cut(self.rows.0 + tile as i64 * size - shift),
            };
            (0..=tiles).map(cut).collect()
        };
        let back = |(kind, shift): (&usize, &i64)| {
            let kind = &self.kinds[*kind];
            let cut = |tile: usize| match tile {
                0 => kind.groups,
                _ if tile == tiles => kind.fold.map_or(kind.groups, |f| f.0),
                _ => kind.cut_back(self.rows.0 + tile as i64 * size - shift),
            };
            (0..=tiles).map(cut).collect()
        };
        let steps = || steps.iter().zip(&shifts);
        let (cuts, back) = (steps().map(cuts).collect(), steps().map(back).collect());
        Block { cuts, back, lag: self.lag(&shifts, size), shifts }
    }
}

#[cfg(test)]
mod tests;
