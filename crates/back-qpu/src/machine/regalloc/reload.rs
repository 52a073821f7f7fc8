//! Reload elimination: spilled values stay in registers between uses, where a register is free for so long.
//!
//! A value is spilled because no one register is free from its first write to its last use. That says little about the time
//! between two of its uses, above all once other values have been spilled, too. So, within a block, the next use is looked
//! at: inner loops first, and the values whose next use is nearest first (after Belady, "A Study of Replacement Algorithms for
//! a Virtual-Storage Computer", 1966), each takes any register that is free until then, and the reload goes. What nobody
//! reloads any longer is not stored, either.
//!
//! ```text
//! load a7, slot           load a9, slot
//! add x, a7, y            add x, a9, y
//! …                 ⟶     …
//! load b3, slot
//! sub z, b3, y            sub z, a9, y
//! ```

use super::assign::Assignment;
use super::spill::{SpillArea, Transfer};
use crate::machine::code::Code;
use crate::machine::isa::{Instruction, Isa};
use crate::machine::registers::{self, Bank, Reg, Set, bit};
use quadra_base::quick::Map;
use std::ops::Range;

/// Times for which a quick register may keep a value: there are few.
const LONGEST_QUICK: u32 = 24;

/// A use of a spilled value: what stands for it meanwhile.
struct Use {
    temp: u32,
    value: u32,
    /// The instructions that load it, in its block.
    load: Option<Range<usize>>,
    /// Those that store it.
    save: Option<Range<usize>>,
    block: usize,
    /// From where to where it is in a register.
    time: (u32, u32),
    /// Something else may lie there in between.
    divided: bool,
}

/// Uses side by side that share a register; each knows the first of its group.
struct Groups(Vec<usize>);

impl Groups {
    fn first(&self, mut i: usize) -> usize {
        while self.0[i] != i {
            i = self.0[i];
        }
        i
    }
}

/// Instructions of spill code, weighted by how often they run.
#[derive(Clone, Copy, Default)]
pub struct Cost {
    pub all: f32,
    /// Loads of what was in a register before in the same block.
    pub again: f32,
}

/// Gives uses of a value one register where one of `given` is free, and takes out the loads and stores that nobody needs; tells
/// what is left.
pub fn run<I: Isa>(code: &mut Code<I>, assignment: &mut Assignment, area: &SpillArea<I>, given: Set) -> Cost {
    let mut uses = find(code, assignment, area);
    // Each use that loads, with the one before it.
    let mut gaps: Vec<(usize, usize)> = Vec::new();
    let mut last: Map<(usize, u32), usize> = Map::default();
    for (i, u) in uses.iter().enumerate() {
        let before = last.insert((u.block, u.value), i);
        let before = before.filter(|&before| u.load.is_some() && !u.divided && !uses[before].divided);
        gaps.extend(before.map(|before| (before, i)));
    }
    let depth = |i: usize| code.blocks[uses[i].block].depth;
    let weight = |i: usize| 8f32.powi(depth(i).min(6) as i32);
    let weights: Vec<f32> = (0..uses.len()).map(weight).collect();
    gaps.sort_by_key(|&(a, b)| (std::cmp::Reverse(depth(b)), uses[b].time.0 - uses[a].time.1, b));
    let mut groups = Groups((0..uses.len()).collect());
    let mut cost = Cost::default();
    for (a, b) in gaps {
        let (a, start) = (groups.first(a), groups.first(b));
        if join(code, assignment, [&uses[a], &uses[start]], given) {
            uses[a].time.1 = uses[start].time.1;
            groups.0[start] = a;
            let load = uses[b].load.take();
            empty(code, uses[b].block, load);
        } else {
            cost.again += weights[b] * uses[b].load.as_ref().map_or(0, Range::len) as f32;
        }
    }
    for i in 0..uses.len() {
        let first = groups.first(i);
        assignment.place[uses[i].temp as usize] = assignment.place[uses[first].temp as usize];
    }
    let mut loaded: Map<u32, bool> = Map::default();
    uses.iter().for_each(|u| *loaded.entry(u.value).or_default() |= u.load.is_some());
    for u in uses.iter_mut().filter(|u| !loaded[&u.value]) {
        empty(code, u.block, u.save.take());
    }
    for (u, weight) in uses.iter().zip(weights) {
        let insts = [&u.load, &u.save].into_iter().flatten().map(Range::len).sum::<usize>();
        cost.all += weight * insts as f32;
    }
    cost
}

/// All uses of spilled values, in order.
fn find<I: Isa>(code: &Code<I>, assignment: &Assignment, area: &SpillArea<I>) -> Vec<Use> {
    let mut uses: Vec<Use> = Vec::new();
    for (b, block) in code.blocks.iter().enumerate() {
        let mut known: Map<u32, usize> = Map::default();
        let mut last_reads: Map<u32, usize> = Map::default();
        for (i, inst) in block.insts.iter().enumerate() {
            let load = |t: u32| area.loads.get(&t).map(|l| (l.value, Some(around(i, l))));
            let own = |t: u32| area.saves.get(&t).map(|s| (s.value, None));
            if let Some(temp) = inst.def().and_then(Reg::virt)
                && !known.contains_key(&temp)
                && let Some((value, load)) = load(temp).or_else(|| own(temp))
            {
                known.insert(temp, uses.len());
                let ranges = &assignment.live.ranges[temp as usize];
                let time = (ranges[0].0, ranges[ranges.len() - 1].1);
                uses.push(Use { temp, value, load, save: None, block: b, time, divided: ranges.len() > 1 });
            }
            // What reads it last stores it.
            for temp in inst.reads().filter_map(Reg::virt).filter(|t| area.saves.contains_key(t)) {
                last_reads.insert(temp, i);
            }
        }
        for (temp, i) in last_reads {
            if let Some(&k) = known.get(&temp) {
                uses[k].save = Some(around(i, &area.saves[&temp]));
            }
        }
    }
    uses
}

/// The instructions of a transfer, one of which is known.
fn around(i: usize, transfer: &Transfer) -> Range<usize> {
    let start = i - transfer.before;
    start..start + transfer.length
}

/// Finds a register for two groups of uses and the time between them.
fn join<I: Isa>(code: &Code<I>, assignment: &mut Assignment, groups: [&Use; 2], given: Set) -> bool {
    let taken = &mut assignment.taken;
    let at = groups.map(|u| (u, assignment.place[u.temp as usize].and_then(registers::place::<I>)));
    let [(first, Some(p)), (second, Some(q))] = at else { return false };
    let time = (first.time.0, second.time.1);
    taken.release(p, first.time);
    taken.release(q, second.time);
    let banks = || groups.iter().filter_map(|u| code.virt[u.temp as usize].bank);
    let short = time.1 - time.0 <= LONGEST_QUICK;
    let quick = Bank::Quick.members::<I>();
    let file = banks().find(|b| *b != Bank::Quick);
    let files = match file {
        _ if banks().any(|b| b == Bank::Quick) => 0,
        Some(file) => given & file.members::<I>(),
        None => given & !quick,
    };
    let quick = if short && file.is_none() { given & quick } else { 0 };
    let free = (files | quick) & !taken.during(time);
    let mut places = [p, q].into_iter().chain(std::iter::once((free & files).trailing_zeros() as usize));
    match places.find(|&place| place < Set::BITS as usize && free & bit(place) != 0) {
        Some(place) => {
            taken.take(place, &[time]);
            assignment.place[first.temp as usize] = Some(registers::at(place));
            true
        }
        None => {
            taken.take(p, &[first.time]);
            taken.take(q, &[second.time]);
            false
        }
    }
}

/// Leaves nothing of some instructions, whose places in the block stay.
fn empty<I: Isa>(code: &mut Code<I>, block: usize, insts: Option<Range<usize>>) {
    code.blocks[block].insts[insts.unwrap_or_default()].fill(I::Inst::nothing());
}
