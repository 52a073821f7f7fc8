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

use super::{DELAY_SLOTS, Slot};
use crate::machine::live_physical::{self, Set, bit};
use crate::machine::schedule::deps;
use crate::vc4::emit::apart;
use crate::vc4::minst::{BlockId, Code};
use quadra_isa::vc4::{BranchCond, File, Inst, Raddr, Signal};

/// Fills what is empty behind branches.
pub fn fill(code: &Code, blocks: &mut [Vec<Slot>]) {
    let needed = needed(code);
    for b in 0..blocks.len() {
        let branches: Vec<usize> =
            (0..blocks[b].len()).filter(|&i| matches!(blocks[b][i], Slot::Branch { .. })).collect();
        for at in branches {
            // In loops, moves up would shift the requests of QPUs against each other that share lines of a cache if they ask
            // for them together (`sgemm` on 12 QPUs took a third longer).
            one(blocks, &needed, b, (at, code.blocks[b].depth == 0));
        }
    }
}

/// What each block needs at its start. Registers of a pipelined loop live across iterations: all may be needed.
fn needed(code: &Code) -> Vec<Set> {
    let mut needed = live_physical::at_start(code);
    for (set, block) in needed.iter_mut().zip(&code.blocks) {
        if block.rows.is_some() {
            *set = Set::MAX;
        }
    }
    needed
}

/// Fills the slots behind the branch `at` of block `b`, with what comes next only if it may move up.
fn one(blocks: &mut [Vec<Slot>], needed: &[Set], b: BlockId, (at, up): (usize, bool)) {
    let Slot::Branch { cond, to, .. } = blocks[b][at] else { return };
    let end = at + 1 + DELAY_SLOTS;
    let Some(slots) = blocks[b].get(at + 1..end) else { return };
    let empty = slots.iter().rev().take_while(|s| is_empty(s)).count();
    let (Some(to), Some(next)) = (first_full(blocks, to), first_full(blocks, b + 1)) else { return };
    let falls_through = cond != BranchCond::Always && end == blocks[b].len();
    for n in (1..=empty).rev() {
        let before: Vec<Inst> = blocks[b][..end - n].iter().map(inst).collect();
        if up && falls_through && to > b && may_leave(blocks, needed, next, to, n) {
            let moved: Vec<Inst> = blocks[next][..n].iter().map(inst).collect();
            if in_order(&before, &moved, &blocks[next][n..]) && in_order(&before, &moved, &blocks[to]) {
                let moved: Vec<Slot> = blocks[next].drain(..n).collect();
                blocks[b].splice(end - n..end, moved);
                return;
            }
        }
        let back = falls_through && to <= b && may_run(&blocks[to], n, needed[next]) && (to < b || n < at);
        let always = cond == BranchCond::Always && to != b && may_be_early(&blocks[to], n);
        if back || always {
            let copies: Vec<Inst> = blocks[to][..n].iter().map(inst).collect();
            let other = if back { in_order(&before, &copies, &blocks[next]) } else { true };
            if other && in_order(&before, &copies, &blocks[to][n..]) {
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

fn is_empty(slot: &Slot) -> bool {
    matches!(slot, Slot::Op { inst: Inst::NOP, probe: None, .. })
}

fn inst(slot: &Slot) -> Inst {
    match slot {
        Slot::Op { inst, .. } => *inst,
        Slot::Branch { .. } => Inst::NOP,
    }
}

/// The block from which on there are instructions.
fn first_full(blocks: &[Vec<Slot>], b: BlockId) -> Option<BlockId> {
    (b..blocks.len()).find(|&b| !blocks[b].is_empty())
}

/// Whether the first instructions of a block may leave it: nothing branches to it, and where the other way goes nobody
/// misses what they overwrite.
fn may_leave(blocks: &[Vec<Slot>], needed: &[Set], next: BlockId, to: BlockId, n: usize) -> bool {
    let entered = |slot: &Slot| matches!(slot, Slot::Branch { to, .. } if first_full(blocks, *to) == Some(next));
    let pipelined = needed[next] == Set::MAX;
    next != to
        && !pipelined
        && n < blocks[next].len()
        && may_run(&blocks[next], n, needed[to])
        && !blocks.iter().flatten().any(entered)
}

/// Whether the first instructions of a block do nothing but write registers that are not needed.
fn may_run(block: &[Slot], n: usize, needed: Set) -> bool {
    block.len() > n && block[..n].iter().all(|slot| is_harmless(slot, needed))
}

fn is_harmless(slot: &Slot, needed: Set) -> bool {
    let Slot::Op { inst, probe: None, .. } = slot else { return false };
    let quiet = match inst {
        Inst::Alu(alu) => {
            let calm = |file: File| {
                alu.read(file)
                    .is_none_or(|r| r.0 < 32 || r == Raddr::NOP || r == Raddr::ELEMENT_NUMBER && file == File::A)
            };
            matches!(alu.sig, Signal::None | Signal::SmallImm) && calm(File::A) && calm(File::B)
        }
        Inst::Ldi(_) => true,
        _ => false,
    };
    let unneeded = inst.writes().all(|(file, waddr, _)| {
        let place = match waddr.as_accumulator() {
            Some(5) => Some(deps::R5),
            Some(n) => Some(64 + n as usize),
            None => waddr.is_physical().then(|| waddr.0 as usize + if file == File::A { 0 } else { 32 }),
        };
        place.is_some_and(|p| needed & bit(p) == 0)
    });
    quiet && unneeded && !inst.sets_flags()
}

/// Whether the first instructions of a block can run in delay slots at all.
fn may_be_early(block: &[Slot], n: usize) -> bool {
    let plain = |slot: &Slot| {
        let Slot::Op { inst, probe: None, .. } = slot else { return false };
        !matches!(inst.signal(), Signal::ProgramEnd)
    };
    block.len() > n && block[..n].iter().all(plain)
}

/// Whether instructions may follow one another without others between them.
fn in_order(before: &[Inst], middle: &[Inst], after: &[Slot]) -> bool {
    const WINDOW: usize = 3;
    let start = before.len().saturating_sub(WINDOW);
    let row: Vec<Inst> =
        before[start..].iter().chain(middle).copied().chain(after.iter().take(WINDOW).map(inst)).collect();
    (0..row.len()).all(|i| (i + 1..row.len()).all(|j| apart(&row[i], &row[j]) <= j - i))
}
