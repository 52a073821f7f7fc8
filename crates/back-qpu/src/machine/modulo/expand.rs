//! A pipelined loop as blocks.
//!
//! ```text
//! before   copies into the loop's registers, rounds that only start iterations
//! partial  the first round with a branch, where no iteration is old enough for the last stage
//! kernel   a full round, again and again
//! after    what the last iterations still have to do, copies out of the loop's registers
//! ```

use super::found::{Found, settle};
use super::graph::branch_row;
use crate::machine::code::{Block, BlockId, Code, Term};
use crate::machine::isa::{Condition, Instruction, Isa};
use crate::machine::live_physical::{read, state, written};
use crate::machine::registers::{self, Reg, allocatable, bit};

/// The blocks that take the place of block `b`, or `None` if their instructions cannot be put into a row.
pub fn run<I: Isa>(code: &Code<I>, b: BlockId, found: &Found<I>) -> Option<Vec<Block<I>>> {
    let block = &code.blocks[b];
    let Term::Branch { cond, taken, other } = block.term else { return None };
    let (cond, exit) = if taken == b { (cond, other) } else { (cond.inverse()?, taken) };
    let ops: Vec<I::Inst> = found.body.ops.iter().map(|i| settle::<I>(i, &found.registers)).collect();
    let rows = rows(code, found, &ops)?;
    let times = &found.times;
    let stages = times.stages();
    let outer = block.depth.saturating_sub(1);
    let mut out = Vec::new();
    let mut before = entry_copies(found)?;
    for round in 0..times.branch_stage {
        let started = rows.iter().flatten().filter(|&&op| times.stage(op) <= round);
        before.extend(started.map(|&op| ops[op]));
    }
    let partial = times.branch_stage < stages - 1;
    let kernel = b + 1 + usize::from(partial);
    let term = Term::Branch { cond, taken: kernel, other: kernel + 1 };
    let fixed = |rows: Vec<Vec<usize>>| {
        let mut rows = rows;
        rows.remove(branch_row::<I>(times.ii));
        Block { rows: Some(rows), open: true, ..Block::new(ops.clone(), term, block.depth, block.span) }
    };
    out.push(Block { open: true, ..Block::new(before, Term::Jump(b + 1), outer, block.span) });
    if partial {
        let some = |row: &Vec<usize>| row.iter().copied().filter(|&op| times.stage(op) <= times.branch_stage).collect();
        out.push(Block { depth: outer, ..fixed(rows.iter().map(some).collect()) });
    }
    let last = rows.iter().flatten().filter(|&&op| times.stage(op) > times.branch_stage);
    let mut after: Vec<I::Inst> = last.map(|&op| ops[op]).collect();
    after.extend(exit_copies(found)?);
    out.push(Block { tag: block.tag, ..fixed(rows.clone()) });
    let count = out.len() + 1;
    let exit = if exit > b { exit + count - 1 } else { exit };
    out.push(Block { open: true, ..Block::new(after, Term::Jump(exit), outer, block.span) });
    Some(out)
}

/// The operations of each row, ordered so that one after the other they do what they do at once.
fn rows<I: Isa>(code: &Code<I>, found: &Found<I>, ops: &[I::Inst]) -> Option<Vec<Vec<usize>>> {
    let mut rows = vec![Vec::new(); found.times.ii as usize];
    for op in 0..ops.len() {
        rows[found.times.row(op)].push(op);
    }
    for row in &mut rows {
        let mut left = std::mem::take(row);
        while !left.is_empty() {
            let harmless = |&x: &usize| left.iter().all(|&y| x == y || !disturbs(code, &ops[x], &ops[y]));
            let i = left.iter().position(harmless)?;
            row.push(left.remove(i));
        }
    }
    Some(rows)
}

/// Whether `first` writes what `second` reads or writes.
fn disturbs<I: Isa>(code: &Code<I>, first: &I::Inst, second: &I::Inst) -> bool {
    let target = second.def().and_then(state).map_or(0, bit);
    written::<I>(first) & (read(code, second) | target) != 0
}

fn entry_copies<I: Isa>(found: &Found<I>) -> Option<Vec<I::Inst>> {
    let webs = found.body.webs.iter().zip(&found.registers);
    copies(found, webs.filter_map(|(web, r)| web.live_in.map(|home| (*r, home))).collect())
}

fn exit_copies<I: Isa>(found: &Found<I>) -> Option<Vec<I::Inst>> {
    let webs = found.body.webs.iter().zip(&found.registers);
    let results = webs.filter(|(web, _)| web.live_out && !web.invariant);
    copies(found, results.filter_map(|(web, r)| web.home.map(|home| (home, *r))).collect())
}

/// Copies that happen at once, destination and source, one after the other; a ring of them needs a register that is free.
fn copies<I: Isa>(found: &Found<I>, mut left: Vec<(Reg, Reg)>) -> Option<Vec<I::Inst>> {
    let mut out = Vec::new();
    left.retain(|(d, s)| d != s);
    while !left.is_empty() {
        match left.iter().position(|(d, _)| left.iter().all(|(_, s)| s != d)) {
            Some(i) => {
                let (d, s) = left.remove(i);
                out.push(I::Inst::copy(d, s));
            }
            None => {
                let used = |r: Reg| {
                    left.iter().any(|(d, s)| *d == r || *s == r)
                        || out.iter().any(|i| i.def() == Some(r))
                        || found.registers.contains(&r)
                        || found.body.webs.iter().any(|w| w.home == Some(r))
                        || state(r).is_some_and(|r| found.body.reserved & bit(r) != 0)
                };
                let spare = (0..allocatable::<I>()).map(registers::at).find(|r| !used(*r))?;
                let old = left[0].0;
                out.push(I::Inst::copy(spare, old));
                left.iter_mut().filter(|(_, s)| *s == old).for_each(|(_, s)| *s = spare);
            }
        }
    }
    Some(out)
}
