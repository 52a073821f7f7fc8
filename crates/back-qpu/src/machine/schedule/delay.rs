//! Delay slots that a block could not fill itself: instructions from behind the branch.
//!
//! ```text
//! brr.anyc L1         brr.anyc L1                L1:  add r0, r1, r2       brr L1 + 1
//! nop           ⟶     add r0, r1, r2    or            sub …           ⟶    nop
//! nop                 mul …                           …                    nop
//! nop                 nop                             brr L1               add r0, r1, r2
//! add r0, r1, r2
//! mul …
//! ```
//! They run whichever way the branch goes. So what comes next if it is not taken moves up if nobody misses what it
//! overwrites where the branch goes; and a branch back, or one that is always taken, skips copies of what it goes to if
//! nobody behind it misses what they overwrite.

use super::Slot;
use crate::machine::code::{BlockId, Code};
use crate::machine::isa::{Condition, Isa};
use crate::machine::live_physical;
use crate::machine::registers::Set;

/// Fills what is empty behind branches.
pub fn fill<I: Isa>(code: &Code<I>, blocks: &mut [Vec<Slot<I>>]) {
    let needed = needed(code);
    for b in 0..blocks.len() {
        let branches: Vec<usize> =
            (0..blocks[b].len()).filter(|&i| matches!(blocks[b][i], Slot::Branch { .. })).collect();
        for at in branches {
            // In loops, moves up would shift the requests of cores against each other that share lines of a cache if they ask
            // for them together (a matrix product on 12 of them took a third longer).
            one(blocks, &needed, b, (at, code.blocks[b].depth == 0));
        }
    }
}

/// What each block needs at its start. Registers of a pipelined loop live across iterations: all may be needed.
fn needed<I: Isa>(code: &Code<I>) -> Vec<Set> {
    let mut needed = live_physical::at_start(code);
    for (set, block) in needed.iter_mut().zip(&code.blocks) {
        if block.rows.is_some() {
            *set = Set::MAX;
        }
    }
    needed
}

/// Fills the slots behind the branch `at` of block `b`, with what comes next only if it may move up.
fn one<I: Isa>(blocks: &mut [Vec<Slot<I>>], needed: &[Set], b: BlockId, (at, up): (usize, bool)) {
    let Slot::Branch { cond, to, .. } = blocks[b][at] else { return };
    let end = at + 1 + I::DELAY_SLOTS;
    let Some(slots) = blocks[b].get(at + 1..end) else { return };
    let empty = slots.iter().rev().take_while(|s| is_empty(s)).count();
    let (Some(to), Some(next)) = (first_full(blocks, to), first_full(blocks, b + 1)) else { return };
    let falls_through = cond != I::Cond::ALWAYS && end == blocks[b].len();
    for n in (1..=empty).rev() {
        let before: Vec<I::Bundle> = blocks[b][..end - n].iter().map(Slot::bundle).collect();
        if up && falls_through && to > b && may_leave(blocks, needed, next, to, n) {
            let moved: Vec<I::Bundle> = blocks[next][..n].iter().map(Slot::bundle).collect();
            if in_order::<I>(&before, &moved, &blocks[next][n..]) && in_order::<I>(&before, &moved, &blocks[to]) {
                let moved: Vec<Slot<I>> = blocks[next].drain(..n).collect();
                blocks[b].splice(end - n..end, moved);
                return;
            }
        }
        let back = falls_through && to <= b && may_run(&blocks[to], n, needed[next]) && (to < b || n < at);
        let always = cond == I::Cond::ALWAYS && to != b && may_be_early(&blocks[to], n);
        if back || always {
            let copies: Vec<I::Bundle> = blocks[to][..n].iter().map(Slot::bundle).collect();
            let other = if back { in_order::<I>(&before, &copies, &blocks[next]) } else { true };
            if other && in_order::<I>(&before, &copies, &blocks[to][n..]) {
                let copies = blocks[to][..n].to_vec();
                blocks[b].splice(end - n..end, copies);
                if let Slot::Branch { to: target, skip, .. } = &mut blocks[b][at] {
                    (*target, *skip) = (to, n);
                }
                return;
            }
        }
    }
}

fn is_empty<I: Isa>(slot: &Slot<I>) -> bool {
    matches!(slot, Slot::Op { bundle, probe: None, .. } if *bundle == I::nop())
}

/// The block from which on there are instructions.
fn first_full<I: Isa>(blocks: &[Vec<Slot<I>>], b: BlockId) -> Option<BlockId> {
    (b..blocks.len()).find(|&b| !blocks[b].is_empty())
}

/// Whether the first instructions of a block may leave it: nothing branches to it, and where the other way goes nobody
/// misses what they overwrite.
fn may_leave<I: Isa>(blocks: &[Vec<Slot<I>>], needed: &[Set], next: BlockId, to: BlockId, n: usize) -> bool {
    let entered = |slot: &Slot<I>| matches!(slot, Slot::Branch { to, .. } if first_full(blocks, *to) == Some(next));
    let pipelined = needed[next] == Set::MAX;
    next != to
        && !pipelined
        && n < blocks[next].len()
        && may_run(&blocks[next], n, needed[to])
        && !blocks.iter().flatten().any(entered)
}

/// Whether the first instructions of a block do nothing but write registers that are not needed.
fn may_run<I: Isa>(block: &[Slot<I>], n: usize, needed: Set) -> bool {
    block.len() > n && block[..n].iter().all(|slot| is_harmless(slot, needed))
}

fn is_harmless<I: Isa>(slot: &Slot<I>, needed: Set) -> bool {
    matches!(slot, Slot::Op { bundle, probe: None, .. } if I::is_harmless(bundle, needed))
}

/// Whether the first instructions of a block can run in delay slots at all.
fn may_be_early<I: Isa>(block: &[Slot<I>], n: usize) -> bool {
    let plain = |slot: &Slot<I>| matches!(slot, Slot::Op { bundle, probe: None, .. } if I::may_be_delayed(bundle));
    block.len() > n && block[..n].iter().all(plain)
}

/// Whether instructions may follow one another without others between them.
fn in_order<I: Isa>(before: &[I::Bundle], middle: &[I::Bundle], after: &[Slot<I>]) -> bool {
    let window = I::LONGEST_APART - 1;
    let start = before.len().saturating_sub(window);
    let after = after.iter().take(window).map(Slot::bundle);
    let row: Vec<I::Bundle> = before[start..].iter().chain(middle).copied().chain(after).collect();
    (0..row.len()).all(|i| (i + 1..row.len()).all(|j| I::apart(&row[i], &row[j]) <= j - i))
}
