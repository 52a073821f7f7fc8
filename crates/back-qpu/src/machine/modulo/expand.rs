//! A pipelined loop as blocks.
//!
//! ```text
//! before   copies into the loop's registers, rounds that only start iterations
//! partial  the first round with a branch, where no iteration is old enough for the last stage
//! kernel   a full round, again and again
//! after    what the last iterations still have to do, copies out of the loop's registers
//! ```

use super::search::{Found, settle};
use crate::machine::schedule::deps;
use crate::vc4::minst::{Block, BlockId, Code, Dst, MInst, Reg, Term};

/// The blocks that take the place of block `b`, or `None` if their instructions cannot be put into a row.
pub fn run(code: &Code, b: BlockId, found: &Found) -> Option<Vec<Block>> {
    let block = &code.blocks[b];
    let Term::Branch { cond, taken, other } = block.term else { return None };
    let (cond, exit) = if taken == b { (cond, other) } else { (cond.inverse()?, taken) };
    let ops: Vec<MInst> = found.body.ops.iter().map(|i| settle(i, &found.registers)).collect();
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
        rows.remove(super::iterative::placement::Times::branch_row(times.ii));
        Block { rows: Some(rows), open: true, ..Block::new(ops.clone(), term, block.depth, block.span) }
    };
    out.push(Block { open: true, ..Block::new(before, Term::Jump(b + 1), outer, block.span) });
    if partial {
        let some = |row: &Vec<usize>| row.iter().copied().filter(|&op| times.stage(op) <= times.branch_stage).collect();
        out.push(Block { depth: outer, ..fixed(rows.iter().map(some).collect()) });
    }
    let last = rows.iter().flatten().filter(|&&op| times.stage(op) > times.branch_stage);
    let mut after: Vec<MInst> = last.map(|&op| ops[op]).collect();
    after.extend(exit_copies(found)?);
    out.push(Block { tag: block.tag, ..fixed(rows.clone()) });
    let count = out.len() + 1;
    let exit = if exit > b { exit + count - 1 } else { exit };
    out.push(Block { open: true, ..Block::new(after, Term::Jump(exit), outer, block.span) });
    Some(out)
}

/// The operations of each row, ordered so that one after the other they do what they do at once.
fn rows(code: &Code, found: &Found, ops: &[MInst]) -> Option<Vec<Vec<usize>>> {
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
fn disturbs(code: &Code, first: &MInst, second: &MInst) -> bool {
    let mut written: Vec<usize> = first.def().map(deps::resource).into_iter().collect();
    if first.sf {
        written.push(deps::FLAGS);
    }
    if deps::writes_r4(first) {
        written.push(deps::R4);
    }
    let reads = deps::reads(code, second);
    written.iter().any(|w| reads.contains(w) || (second.def().map(deps::resource) == Some(*w)))
}

fn entry_copies(found: &Found) -> Option<Vec<MInst>> {
    let webs = found.body.webs.iter().zip(&found.registers);
    copies(found, webs.filter_map(|(web, r)| web.live_in.map(|home| (*r, home))).collect())
}

fn exit_copies(found: &Found) -> Option<Vec<MInst>> {
    let webs = found.body.webs.iter().zip(&found.registers);
    let results = webs.filter(|(web, _)| web.live_out && !web.invariant);
    copies(found, results.filter_map(|(web, r)| web.home.map(|home| (home, *r))).collect())
}

/// Copies that happen at once, destination and source, one after the other; a ring of them needs a register that is free.
fn copies(found: &Found, mut left: Vec<(Reg, Reg)>) -> Option<Vec<MInst>> {
    let mut out = Vec::new();
    left.retain(|(d, s)| d != s);
    while !left.is_empty() {
        match left.iter().position(|(d, _)| left.iter().all(|(_, s)| s != d)) {
            Some(i) => {
                let (d, s) = left.remove(i);
                out.push(MInst::mov(Dst::Reg(d), s));
            }
            None => {
                let used = |r: Reg| {
                    left.iter().any(|(d, s)| *d == r || *s == r)
                        || out.iter().any(|i| i.def() == Some(r))
                        || found.registers.contains(&r)
                        || found.body.webs.iter().any(|w| w.home == Some(r))
                        || found.body.reserved & crate::machine::live_physical::bit(deps::resource(r)) != 0
                };
                let spare = (0..4).map(Reg::Acc).chain((0..32).map(Reg::A)).find(|r| !used(*r))?;
                let old = left[0].0;
                out.push(MInst::mov(Dst::Reg(spare), old));
                left.iter_mut().filter(|(_, s)| *s == old).for_each(|(_, s)| *s = spare);
            }
        }
    }
    Some(out)
}
