//! Small improvements of any machine code: empty blocks, loop headers, dead code.

use super::code::{BlockId, Code, Term};
use super::isa::{Instruction, Isa};
use super::registers::Reg;

/// Instructions of a loop header that may be copied to the end of the loop, so that an iteration runs one branch less.
const LONGEST_HEADER: usize = 24;

/// Joins what jumps put apart; also after register allocation, when copies have gone.
pub fn join_blocks<I: Isa>(code: &mut Code<I>) {
    thread_jumps(code);
    merge_blocks(code);
    remove_unreachable(code);
}

/// Uses of each virtual register, conditional writes to itself not counted.
pub fn use_counts<I: Isa>(code: &Code<I>) -> Vec<u32> {
    let mut counts = vec![0; code.virt.len()];
    for inst in code.blocks.iter().flat_map(|b| &b.insts) {
        inst.reads().chain(code.probed(inst)).filter_map(Reg::virt).for_each(|v| counts[v as usize] += 1);
    }
    counts
}

/// Removes computations that nobody reads.
pub fn remove_dead<I: Isa>(code: &mut Code<I>) {
    let mut counts = use_counts(code);
    loop {
        let mut removed = false;
        for block in &mut code.blocks {
            block.insts.retain(|inst| {
                let dead = inst.is_pure() && inst.def().and_then(Reg::virt).is_some_and(|v| counts[v as usize] == 0);
                if dead {
                    inst.reads().filter_map(Reg::virt).for_each(|v| counts[v as usize] -= 1);
                    removed = true;
                }
                !dead
            });
        }
        if !removed {
            return;
        }
    }
}

/// Jumps to a block that only jumps on go where it goes.
pub fn thread_jumps<I: Isa>(code: &mut Code<I>) {
    let mut to: Vec<BlockId> = (0..code.blocks.len()).collect();
    for (b, block) in code.blocks.iter().enumerate() {
        if let Term::Jump(t) = block.term
            && block.insts.is_empty()
        {
            to[b] = t;
        }
    }
    let resolve = |mut b: BlockId| {
        // A cycle of empty blocks is an endless loop, which stays one.
        for _ in 0..to.len() {
            if to[b] == b {
                break;
            }
            b = to[b];
        }
        b
    };
    for block in &mut code.blocks {
        block.term = match block.term.map(resolve) {
            Term::Branch { taken, other, .. } if taken == other => Term::Jump(taken),
            term => term,
        };
    }
}

/// A jump back to a header that ends with a branch becomes a copy of the header: the loop then has its test at the end.
pub fn rotate_loops<I: Isa>(code: &mut Code<I>) {
    for b in 0..code.blocks.len() {
        let Term::Jump(header) = code.blocks[b].term else { continue };
        if header > b || !matches!(code.blocks[header].term, Term::Branch { .. }) {
            continue;
        }
        // A probe has one place.
        let probes = code.blocks[header].insts.iter().any(|i| i.probe().is_some());
        if probes || code.blocks[header].insts.len() > LONGEST_HEADER {
            continue;
        }
        let (insts, term) = (code.blocks[header].insts.clone(), code.blocks[header].term);
        code.blocks[b].insts.extend(insts);
        code.blocks[b].term = term;
        let outer = code.blocks[header].depth;
        let again = (0..code.blocks.len()).any(|p| {
            code.blocks[p].depth >= outer && p >= header && code.blocks[p].term.targets().any(|t| t == header)
        });
        if !again {
            code.blocks[header].depth = outer.saturating_sub(1);
        }
    }
}

fn predecessors<I: Isa>(code: &Code<I>) -> Vec<u32> {
    let mut counts = vec![0; code.blocks.len()];
    counts[0] = 1;
    for block in &code.blocks {
        block.term.targets().for_each(|t| counts[t] += 1);
    }
    counts
}

/// Appends a block to the only block that jumps to it.
fn merge_blocks<I: Isa>(code: &mut Code<I>) {
    remove_unreachable(code);
    for b in 0..code.blocks.len() {
        while let Term::Jump(next) = code.blocks[b].term {
            let fixed = code.blocks[next].rows.is_some() || code.blocks[b].rows.is_some();
            if next == b || fixed || predecessors(code)[next] != 1 || code.blocks[next].depth != code.blocks[b].depth {
                break;
            }
            let insts = std::mem::take(&mut code.blocks[next].insts);
            code.blocks[b].insts.extend(insts);
            code.blocks[b].open |= code.blocks[next].open;
            code.blocks[b].term = code.blocks[next].term;
            // What is left is unreachable.
            code.blocks[next].term = Term::Jump(next);
            code.blocks[next].depth = u32::MAX;
        }
    }
}

/// Drops blocks that cannot be reached and renumbers the others, in the same order.
fn remove_unreachable<I: Isa>(code: &mut Code<I>) {
    let mut reached = vec![false; code.blocks.len()];
    let mut stack = vec![0];
    while let Some(b) = stack.pop() {
        if !std::mem::replace(&mut reached[b], true) {
            stack.extend(code.blocks[b].term.targets());
        }
    }
    let mut position = vec![0; code.blocks.len()];
    let mut next = 0;
    for (b, seen) in reached.iter().enumerate() {
        position[b] = next;
        next += usize::from(*seen);
    }
    let mut index = 0;
    code.blocks.retain(|_| {
        index += 1;
        reached[index - 1]
    });
    for block in &mut code.blocks {
        block.term = block.term.map(|t| position[t]);
    }
}
