//! Rows that one transfer loads: rows at equal distances in memory that a block loads one after the other, past the caches.
//!
//! A transfer costs 60 clocks and each row of 16 words 19.4 of the one engine that all QPUs share (fitted to published
//! measurements), so that four rows at once take less than half of the time of four. The later rows are loaded where the
//! first one is, which nothing in between may notice.

use kir::{Block, Buf, Effect, Inst, Kernel, Op, Value};
use quadra_base::quick::{Map, Set};
use quadra_kir as kir;
use quadra_passes::analysis::linear::Form;
use quadra_passes::analysis::range::Range;

/// The most words from the start of one row to the start of the next: the setup has 13 bits for bytes.
const MOST_PITCH: i64 = (1 << 13) / 4 - 1;

/// More groups at once would keep too many registers at once.
const MOST_OPEN: usize = 4;

/// Words from the start of one row to the start of the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pitch {
    Words(i32),
    /// A value times two to this power.
    Value(Value, u32),
}

impl Pitch {
    /// What a distance is, if the hardware can be told so.
    fn of(kernel: &Kernel, range: &Range, distance: &Form) -> Option<Pitch> {
        if !distance.bounds(kernel, range).within(1, MOST_PITCH) {
            return None;
        }
        match distance.terms[..] {
            [] => Some(Pitch::Words(distance.constant)),
            [(v, f)] if distance.constant == 0 && f > 0 && (f as u32).is_power_of_two() => {
                Some(Pitch::Value(v, f.trailing_zeros()))
            }
            _ => None,
        }
    }
}

/// Rows that are loaded with a first one.
#[derive(Clone)]
pub(super) struct Group {
    /// The results of their loads, in order.
    pub others: Vec<Value>,
    pub pitch: Pitch,
}

/// Rows that are loaded with others.
#[derive(Default)]
pub(super) struct Together {
    /// By the result of the first load.
    pub groups: Map<Value, Group>,
    /// The results of the others.
    pub others: Set<Value>,
}

impl Together {
    /// Finds groups of at most `most` rows of buffers that are loaded through DMA, for launches on up to `workers` QPUs.
    pub fn of(kernel: &Kernel, through_dma: &[bool], most: u32, workers: u32) -> Together {
        let mut together = Together::default();
        if most > 1 && through_dma.iter().any(|d| *d) {
            let range = Range::with_workers(kernel, i64::from(workers));
            together.block(kernel, &kernel.body, &Rules { range, through_dma, most: most as usize });
        }
        together
    }

    /// The rows of the largest group.
    pub fn rows(&self) -> u32 {
        1 + self.groups.values().map(|g| g.others.len() as u32).max().unwrap_or(0)
    }

    fn block(&mut self, kernel: &Kernel, block: &Block, rules: &Rules<'_>) {
        let mut open: Vec<Open> = Vec::new();
        for inst in &block.insts {
            inst.regions.iter().for_each(|r| self.block(kernel, r, rules));
            let Some(buf) = rules.row(kernel, inst) else {
                if !harmless(inst) {
                    open.clear();
                }
                open.iter_mut().for_each(|o| o.behind.extend(&inst.results));
                continue;
            };
            let form = rules.range.forms().at(kernel, inst.args[0]);
            let follows = open.iter_mut().find_map(|o| {
                let pitch = Pitch::of(kernel, &rules.range, &form.minus(&o.last))?;
                let known = !matches!(pitch, Pitch::Value(v, _) if o.behind.contains(&v));
                let group = self.groups.get(&o.first);
                let room = group.map_or(1, |g| 1 + g.others.len()) < rules.most;
                let fits = o.buf == buf && known && room && group.is_none_or(|g| g.pitch == pitch);
                fits.then_some((o, pitch))
            });
            match follows {
                Some((o, pitch)) => {
                    let group = self.groups.entry(o.first).or_insert(Group { others: Vec::new(), pitch });
                    group.others.push(inst.result());
                    self.others.insert(inst.result());
                    o.last = form;
                }
                None => {
                    if open.len() == MOST_OPEN {
                        open.remove(0);
                    }
                    open.push(Open { buf, first: inst.result(), last: form, behind: Set::default() });
                }
            }
        }
    }
}

/// A row that others may be loaded with.
struct Open {
    buf: Buf,
    first: Value,
    /// Where the last row of its group lies.
    last: Form,
    /// What the block has computed since: too late for the first row's setup.
    behind: Set<Value>,
}

struct Rules<'k> {
    range: Range,
    through_dma: &'k [bool],
    most: usize,
}

impl Rules<'_> {
    /// The buffer of a load of a whole row of words by DMA.
    fn row(&self, kernel: &Kernel, inst: &Inst) -> Option<Buf> {
        let buf = inst.buf.filter(|b| self.through_dma[b.index()] && kernel.bufs[*b].elem.bytes() == 4)?;
        (inst.op == Op::LoadRow && inst.mask.is_none()).then_some(buf)
    }
}

/// Whether a load may be made before this instruction instead of behind it.
fn harmless(inst: &Inst) -> bool {
    // Requests change nothing, and what waits in the queue is not what is loaded.
    let reads = matches!(inst.op.info().effect, Effect::Read)
        || matches!(inst.op, Op::TmuRequest | Op::TmuReceive | Op::Comment);
    inst.regions.is_empty() && (inst.op.is_pure() || reads)
}
