//! What a border between blocks still needs, whichever way it is crossed.

use super::Slot;
use crate::machine::code::Code;
use crate::machine::isa::Isa;

/// No-operations where a block's first instructions would come too early after the last ones of a predecessor. Within
/// blocks the scheduler keeps the distances.
pub fn separate<I: Isa>(code: &Code<I>, blocks: &mut [Vec<Slot<I>>]) {
    for b in 0..blocks.len() {
        let fixed = code.blocks[b].rows.is_some();
        let firsts = firsts(blocks, b);
        let missing = lasts(blocks, b, fixed).iter().map(|last| missing::<I>(last, &firsts)).max().unwrap_or(0);
        let span = code.blocks[b].span;
        let nops = std::iter::repeat_n(Slot::nop(span), missing);
        if fixed && b > 0 && !entered_by_branch(blocks, b) {
            // The loop itself keeps its length; it is entered from the block before it.
            blocks[b - 1].extend(nops);
        } else {
            blocks[b].splice(0..0, nops);
        }
    }
}

/// Whether another block branches to block `b`.
fn entered_by_branch<I: Isa>(blocks: &[Vec<Slot<I>>], b: usize) -> bool {
    let reaches = |to: usize| to <= b && blocks[to..b].iter().all(Vec::is_empty);
    let others = blocks.iter().enumerate().filter(|(n, _)| *n != b);
    others.flat_map(|(_, block)| block).any(|slot| matches!(slot, Slot::Branch { to, .. } if reaches(*to)))
}

/// The first instructions from block `b` on.
fn firsts<I: Isa>(blocks: &[Vec<Slot<I>>], b: usize) -> Vec<I::Bundle> {
    blocks[b..].iter().flatten().take(I::LONGEST_APART - 1).map(Slot::bundle).collect()
}

/// The last instructions that may run before block `b`, the last one first: of the blocks before it, and of all that branch
/// to it, itself not included if it is `fixed`.
fn lasts<I: Isa>(blocks: &[Vec<Slot<I>>], b: usize, fixed: bool) -> Vec<Vec<I::Bundle>> {
    let mut out = vec![
        blocks[..b]
            .iter()
            .rev()
            .flat_map(|block| block.iter().rev())
            .take(I::LONGEST_APART - 1)
            .map(Slot::bundle)
            .collect(),
    ];
    // A branch to an empty block goes on to the next one that is not.
    let reaches = |to: usize| to <= b && blocks[to..b].iter().all(Vec::is_empty);
    for (n, block) in blocks.iter().enumerate() {
        for (i, slot) in block.iter().enumerate() {
            if matches!(slot, Slot::Branch { to, .. } if reaches(*to)) && !(fixed && n == b) {
                let delayed = &block[i + 1..(i + 1 + I::DELAY_SLOTS).min(block.len())];
                out.push(delayed.iter().rev().take(I::LONGEST_APART - 1).map(Slot::bundle).collect());
            }
        }
    }
    out
}

/// Instructions missing between those that ran last, the last one first, and the next ones.
fn missing<I: Isa>(last: &[I::Bundle], next: &[I::Bundle]) -> usize {
    let pairs = last.iter().enumerate().flat_map(|(i, l)| next.iter().enumerate().map(move |(j, n)| (i + 1 + j, l, n)));
    pairs.map(|(distance, l, n)| I::apart(l, n).saturating_sub(distance)).max().unwrap_or(0)
}
