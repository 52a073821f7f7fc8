//! Steps of a time loop in skewed tiles ([`crate::skew`]), on threads: each takes the next block of steps, and goes through its tiles
//! while the thread in front is far enough ahead. Nobody waits for a thread that has not begun.

use crate::deal::{self, Dealing, Stage, pieces};
use crate::host;
use crate::native::Copies;
use crate::skew::{Area, Block, Hazards, Kind};
use crate::steps::Touch;
use crate::task::{Box4, Task, run_task};
use quadra_base::team::pause;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};

/// Steps from which tiles can pay.
pub const LEAST_STEPS: usize = 8;
/// Steps of a block: fewer do not pay, more only fill the pipeline later.
const LEAST_BLOCK: usize = 4;
const MOST_BLOCK: usize = 64;
/// Blocks for each thread.
const BLOCKS: usize = 4;
/// Most kinds of steps that are compared with each other.
const MOST_KINDS: usize = 24;
/// Most tiles of a block.
const MOST_TILES: usize = 1 << 16;
/// Vector instructions of a call, beside which its start is little.
const CALL: u64 = 20_000;
/// Clocks of a vector instruction, and of a byte that comes from memory, while instructions are executed: where that takes less than so
/// much of their time, tiles gain nothing anywhere. Else it is tried out. Arrays that the last cache holds gain too little for a trial:
/// 3x3 stencils of 512 x 512 took 0.9 to 1.2 of the time in tiles.
const INSTRUCTION: f64 = 0.5;
const FROM_MEMORY: f64 = 0.33;
const HIDDEN: f64 = 0.4;

/// Whether steps are computed in tiles: 0 if nobody has asked, else one more than a [`Tiling`].
static TILING: AtomicU8 = AtomicU8::new(0);

/// When steps of a time loop are computed in tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Tiling {
    /// Step by step.
    Never,
    /// Where that pays.
    Where,
    /// Wherever it is right, in as small tiles as possible: for tests.
    Always,
}

/// Sets it, instead of what `QUADRA_TIME_TILES` says.
pub fn set_tiling(tiling: Tiling) {
    TILING.store(tiling as u8 + 1, Ordering::Relaxed);
}

/// When steps of a time loop are computed in tiles: `QUADRA_TIME_TILES` may say `never` or `always`.
pub fn tiling() -> Tiling {
    match TILING.load(Ordering::Relaxed) {
        1 => return Tiling::Never,
        2 => return Tiling::Where,
        3 => return Tiling::Always,
        _ => {}
    }
    let found = match std::env::var("QUADRA_TIME_TILES").as_deref() {
        Ok("never") => Tiling::Never,
        Ok("always") => Tiling::Always,
        _ => Tiling::Where,
    };
    set_tiling(found);
    found
}

/// Steps that were computed in tiles.
static TILED: AtomicU64 = AtomicU64::new(0);

/// How many steps of time loops this process has computed in tiles.
pub fn tiled() -> u64 {
    TILED.load(Ordering::Relaxed)
}

/// A step: its launch, whether two buffers have changed places, its kind.
#[derive(Clone, Copy, PartialEq)]
struct Step {
    stage: usize,
    swapped: bool,
    kind: usize,
}

/// The order of a block's steps, with what each computes in each tile.
struct Pattern {
    kinds: Vec<usize>,
    block: Block,
    tasks: Vec<Vec<Task>>,
}

/// Steps in blocks, and how far those are.
pub(crate) struct Waves {
    steps: Vec<Step>,
    /// The first step of each block, and its pattern.
    blocks: Vec<(usize, usize)>,
    patterns: Vec<Pattern>,
    next: AtomicUsize,
    /// How many tiles of each block are done.
    done: Vec<AtomicUsize>,
}

/// What distinguishes kinds: the code, and the memory of its buffers.
type Key<'a> = (*const crate::plan::Variant, Vec<usize>, [u32; 4], &'a [Touch]);

/// The steps of launches in tiles for so many threads, if that is right and pays.
///
/// # Errors
/// Why not, in words that end "because …".
pub(crate) fn plan(stages: &[Stage<'_>], threads: usize) -> Result<Waves, &'static str> {
    let many: usize = stages.iter().map(|s| s.repeat.times as usize).sum();
    if tiling() == Tiling::Never || many < LEAST_STEPS && tiling() != Tiling::Always || many < 2 {
        return Err("it has few steps");
    }
    let (steps, kinds) = steps_of(stages)?;
    let bytes = Bytes::of(&kinds, stages, &steps);
    let sequence: Vec<usize> = steps.iter().map(|s| s.kind).collect();
    let (hazards, bytes) = nearest(Hazards::of(kinds), &sequence[..sequence.len().min(LEAST_BLOCK)], bytes);
    let work = steps.iter().map(|s| stages[s.stage].work as f64).sum::<f64>() / many as f64;
    let (length, size) = match tiling() {
        Tiling::Always => (7, i64::from(hazards.kinds.iter().map(|k| k.turn).max().unwrap_or(1))),
        _ => Sizes { hazards: &hazards, bytes, threads, work }.of(&sequence).ok_or("tiles would not pay")?,
    };
    let mut waves =
        Waves { blocks: Vec::new(), patterns: Vec::new(), next: AtomicUsize::new(0), done: Vec::new(), steps };
    for first in (0..many).step_by(length) {
        let kinds = &sequence[first..(first + length).min(many)];
        let known = waves.patterns.iter().position(|p| p.kinds == kinds);
        if known.is_none() && hazards.tiles(&hazards.shifts(kinds), size) > MOST_TILES {
            return Err("its steps need elements that lie too far apart");
        }
        let pattern = known.unwrap_or_else(|| {
            waves.patterns.push(pattern(&hazards, kinds, size, stages, &waves.steps[first..]));
            waves.patterns.len() - 1
        });
        waves.blocks.push((first, pattern));
        waves.done.push(AtomicUsize::new(0));
    }
    Ok(waves)
}

/// Rows as they are, or folded if first and last know of each other; and the bytes of a row.
fn nearest(hazards: Hazards, steps: &[usize], bytes: Bytes) -> (Hazards, Bytes) {
    let far = |h: &Hazards| h.shifts(steps).into_iter().max().unwrap_or(0);
    if far(&hazards) < hazards.rows() / 2 {
        return (hazards, bytes);
    }
    let folded = hazards.folded();
    if far(&folded) < far(&hazards) { (folded, bytes.doubled()) } else { (hazards, bytes) }
}

/// All steps, and the kinds that they are of.
fn steps_of(stages: &[Stage<'_>]) -> Result<(Vec<Step>, Vec<Kind>), &'static str> {
    let (mut steps, mut keys): (Vec<Step>, Vec<Key<'_>>) = (Vec::new(), Vec::new());
    let mut users = Vec::new();
    for (n, stage) in stages.iter().enumerate() {
        let touches = stage.touches.ok_or("what its steps touch is not known")?;
        let inner = stage.variant.inner.as_ref();
        if stage.variant.private.iter().any(Option::is_some) || inner.is_some_and(|i| i.blocked) || stage.work == 0 {
            return Err("its steps are sums, go through blocks, or take as long as their data say");
        }
        let mut kind = [None; 2];
        for time in 0..stage.repeat.times {
            let swapped = stage.repeat.swap.is_some() && time % 2 == 1;
            let kind = *kind[usize::from(swapped)].get_or_insert_with(|| {
                let memory = stage.run.addresses(swapped);
                let key: Key<'_> = (std::ptr::from_ref(stage.variant), memory, stage.run.groups, touches);
                keys.iter().position(|k| *k == key).unwrap_or_else(|| {
                    keys.push(key);
                    users.push(n);
                    keys.len() - 1
                })
            });
            steps.push(Step { stage: n, swapped, kind });
        }
        if keys.len() > MOST_KINDS {
            return Err("its steps are of too many kinds");
        }
    }
    let areas: Vec<Vec<Area>> = keys.iter().map(areas).collect();
    let kinds = users.iter().zip(&areas).map(|(&n, own)| kind(&stages[n], own, &areas));
    Ok((steps, kinds.collect::<Option<_>>().ok_or("its steps do not write row by row")?))
}

/// What steps of a kind touch, in memory.
fn areas((_, memory, _, touches): &Key<'_>) -> Vec<Area> {
    let area = |t: &Touch| Area {
        memory: memory[t.buf],
        write: t.write,
        groups: t.groups,
        elements: t.elements,
        stride: t.stride,
    };
    touches.iter().map(area).collect()
}

/// A kind of steps that touch this, among others; nothing if its groups do not write one row after the other.
fn kind(stage: &Stage<'_>, own: &[Area], all: &[Vec<Area>]) -> Option<Kind> {
    let many = |a: &&Area| a.groups.1 - a.groups.0;
    let main = own.iter().filter(|a| a.write && a.stride > 0).max_by_key(many)?;
    let row = all.iter().flatten().filter(|a| a.memory == main.memory).map(|a| a.stride).max()?;
    let over = stage.run.kernel.over as usize;
    let (turn, turns_from) = stage.variant.inner.as_ref().map_or((1, 0), |i| (deal::turn(i, 0, over), i.low[0]));
    Some(Kind {
        areas: own.to_vec(),
        groups: stage.run.groups[0],
        start: main.elements.0 - main.stride * i64::from(main.groups.0),
        stride: main.stride,
        row,
        turn,
        turns_from,
        fold: None,
    })
}

/// Bytes of a row.
#[derive(Clone, Copy, Debug, Default)]
struct Bytes {
    /// Of all arrays that steps touch.
    all: usize,
    /// Of those that a step touches, on average.
    step: f64,
}

impl Bytes {
    fn of(kinds: &[Kind], stages: &[Stage<'_>], steps: &[Step]) -> Bytes {
        let mut rows: Vec<(usize, usize)> = Vec::new();
        let mut own = vec![None; kinds.len()];
        for step in steps {
            own[step.kind].get_or_insert_with(|| {
                let mut mine: Vec<(usize, usize)> = Vec::new();
                for area in &kinds[step.kind].areas {
                    let size = stages[step.stage].run.bytes_at(area.memory);
                    let row = (area.memory, usize::try_from(area.stride).unwrap_or(0) * size);
                    widest(&mut rows, row);
                    widest(&mut mine, row);
                }
                mine.iter().map(|r| r.1).sum::<usize>()
            });
        }
        let sum: usize = steps.iter().filter_map(|s| own[s.kind]).sum();
        Bytes { all: rows.iter().map(|r| r.1).sum(), step: sum as f64 / steps.len().max(1) as f64 }
    }

    fn doubled(self) -> Bytes {
        Bytes { all: 2 * self.all, step: 2.0 * self.step }
    }
}

/// Notes the length of a row of some memory, if it is the longest so far.
fn widest(rows: &mut Vec<(usize, usize)>, (memory, bytes): (usize, usize)) {
    match rows.iter_mut().find(|r| r.0 == memory) {
        Some(row) => row.1 = row.1.max(bytes),
        None => rows.push((memory, bytes)),
    }
}

/// What decides how large tiles are.
struct Sizes<'a> {
    hazards: &'a Hazards,
    bytes: Bytes,
    threads: usize,
    /// Vector instructions of a step on average.
    work: f64,
}

impl Sizes<'_> {
    /// Steps of a block and rows of a tile for these steps; nothing if tiles do not pay. Two steps of a tile stay in the first cache
    /// if they can, or in what makes a call worth its start; a block in half of the cache of one processor, or of its part of
    /// the last one. As many tiles are needed as keep all threads at work.
    fn of(&self, sequence: &[usize]) -> Option<(usize, i64)> {
        let rows = self.hazards.rows();
        let all = self.bytes.all.checked_mul(usize::try_from(rows).ok()?)?;
        let per_row = (self.work / rows.max(1) as f64).max(1.0);
        let (second, last) = (host::second_cache(), host::last_cache());
        if all <= last / 2 || self.bytes.step * FROM_MEMORY < HIDDEN * INSTRUCTION * per_row {
            return None;
        }
        let turn = self.hazards.kinds.iter().map(|k| i64::from(k.turn)).max().unwrap_or(1);
        let call = (CALL as f64 / per_row) as i64;
        let near = (host::first_cache() * 3 / 4 / self.bytes.all.max(1)) as i64;
        let rooms = [second / 2, last / 2 / self.threads];
        rooms.iter().find_map(|room| {
            let most = (room / 3 / self.bytes.all.max(1)) as i64;
            let size = (near.max(call).min(most) / turn * turn).max(turn);
            Some((self.block(sequence, size, *room)?, size))
        })
    }

    /// How many steps of these fit into a block.
    fn block(&self, sequence: &[usize], size: i64, room: usize) -> Option<usize> {
        // Several blocks for each thread: the last ones wait for those before.
        let most = if self.threads == 1 { MOST_BLOCK } else { sequence.len() / (BLOCKS * self.threads) };
        let most = most.clamp(LEAST_BLOCK, MOST_BLOCK).min(sequence.len());
        let shifts = self.hazards.shifts(&sequence[..most]);
        let fits = |n: &usize| {
            let shifts = &shifts[..*n];
            let rows = size + shifts.iter().max().unwrap_or(&0);
            let bytes = usize::try_from(rows).unwrap_or(usize::MAX).saturating_mul(self.bytes.all);
            let ahead = self.hazards.lag(shifts, size).saturating_mul(self.threads);
            bytes <= room && (self.threads == 1 || ahead <= self.hazards.tiles(shifts, size))
        };
        (LEAST_BLOCK..=shifts.len()).rev().find(fits)
    }
}

fn pattern(hazards: &Hazards, kinds: &[usize], size: i64, stages: &[Stage<'_>], steps: &[Step]) -> Pattern {
    let block = hazards.block(kinds, size);
    let tasks = |((cuts, back), step): ((&Vec<u32>, &Vec<u32>), &Step)| {
        let stage = &stages[step.stage];
        let part = |from: u32, to: u32| {
            let mut part: Box4 = ([0; 4], stage.run.groups);
            (part.0[0], part.1[0]) = (from, to);
            pieces(stage.variant, stage.run, part)
        };
        let task = |(cut, back): (&[u32], &[u32])| {
            let mut all = part(cut[0], cut[1]);
            all.extend(part(back[1], back[0]));
            Task { worker: 0, pieces: all }
        };
        cuts.windows(2).zip(back.windows(2)).map(task).collect()
    };
    let tasks = block.cuts.iter().zip(&block.back).zip(steps).map(tasks).collect();
    Pattern { kinds: kinds.to_vec(), block, tasks }
}

impl Waves {
    /// Notes that they are computed so.
    pub fn count(&self) {
        TILED.fetch_add(self.steps.len() as u64, Ordering::Relaxed);
    }
}

impl Dealing<'_> {
    /// Takes blocks and computes them, as long as there are any.
    pub(crate) fn wave(&self, waves: &Waves) {
        let mut copies: Vec<Option<Copies>> = Vec::new();
        loop {
            let number = waves.next.fetch_add(1, Ordering::Relaxed);
            let Some(&(first, pattern)) = waves.blocks.get(number) else { return };
            let pattern = &waves.patterns[pattern];
            for tile in 0..pattern.tasks[0].len() {
                if !self.ahead(waves, number, tile) {
                    return;
                }
                for (step, tasks) in waves.steps[first..].iter().zip(&pattern.tasks) {
                    let stage = &self.stages[step.stage];
                    copies.resize_with(copies.len().max(step.kind + 1), || None);
                    let own =
                        copies[step.kind].get_or_insert_with(|| Copies::new(stage.run.kernel, &stage.variant.private));
                    if let Err(fault) = run_task(stage.variant, stage.run, &tasks[tile], step.swapped, own) {
                        return self.stop(fault);
                    }
                }
                waves.done[number].store(tile + 1, Ordering::Release);
            }
        }
    }

    /// Waits until the block before is far enough ahead of a tile; whether to go on.
    fn ahead(&self, waves: &Waves, number: usize, tile: usize) -> bool {
        let mut looks = 0;
        if let Some(before) = number.checked_sub(1) {
            let pattern = &waves.patterns[waves.blocks[before].1];
            let needed = (tile + 1).saturating_add(pattern.block.lag).min(pattern.tasks[0].len());
            while waves.done[before].load(Ordering::Acquire) < needed {
                if self.stopped.load(Ordering::Relaxed) {
                    return false;
                }
                pause(&mut looks);
            }
        }
        !self.stopped.load(Ordering::Relaxed)
    }
}
