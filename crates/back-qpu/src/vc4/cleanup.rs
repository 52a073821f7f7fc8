//! Small improvements of machine code before registers are allocated: empty blocks, loop headers, dead code, r4.

use crate::vc4::minst::{BlockId, Code, Dst, MInst, Oper, Reg, Rotate, Src, Term};
use quadra_isa::vc4::{Cond, Waddr};

/// Instructions of a loop header that may be copied to the end of the loop, so that an iteration runs one branch less.
const LONGEST_HEADER: usize = 24;

/// Runs every improvement.
pub fn run(code: &mut Code) {
    forward(code, Reg::R4, writes_r4);
    forward(code, Reg::R5, |inst| inst.def() == Some(Reg::R5));
    remove_dead(code);
    thread_jumps(code);
    rotate_loops(code);
    join_blocks(code);
    remove_waits(code);
}

/// Joins what jumps put apart; also after register allocation, when copies have gone.
pub fn join_blocks(code: &mut Code) {
    thread_jumps(code);
    merge_blocks(code);
    remove_unreachable(code);
}

/// Removes waits for stores where no store can have been started since the last wait.
fn remove_waits(code: &mut Code) {
    let waits = |i: &MInst| i.src[0] == Some(Src::StoreWait);
    let starts = |i: &MInst| i.dst == Dst::ST_ADDR;
    // Whether a store may run at the start of each block.
    let mut running = vec![false; code.blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for b in 0..code.blocks.len() {
            let block = &code.blocks[b];
            let out = block.insts.iter().fold(running[b], |r, i| (r && !waits(i)) || starts(i));
            for t in block.term.targets() {
                changed |= out && !running[t];
                running[t] |= out;
            }
        }
    }
    for (b, block) in code.blocks.iter_mut().enumerate() {
        let mut r = running[b];
        block.insts.retain(|i| {
            let keep = r || !waits(i);
            r = (r && !waits(i)) || starts(i);
            keep
        });
    }
}

/// Uses of each virtual register, conditional writes to itself not counted.
fn use_counts(code: &Code) -> Vec<u32> {
    let mut counts = vec![0; code.virt.len()];
    for inst in code.blocks.iter().flat_map(|b| &b.insts) {
        inst.reads().filter_map(Reg::virt).for_each(|v| counts[v as usize] += 1);
        if let Oper::Probe(p) = inst.op {
            let probe = &code.probes[p as usize];
            let regs = probe.operands.iter().map(|o| o.0).chain(probe.mask);
            regs.filter_map(Reg::virt).for_each(|v| counts[v as usize] += 1);
        }
    }
    counts
}

/// Removes computations that nobody reads.
pub fn remove_dead(code: &mut Code) {
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

fn writes_r4(inst: &MInst) -> bool {
    matches!(inst.op, Oper::Signal(s) if s.loads_r4())
        || matches!(inst.dst, Dst::Peripheral(w, _) if (Waddr::SFU_RECIP..=Waddr::SFU_LOG).contains(&w))
}

/// Reads `from` itself, r4 or r5, instead of a copy of it, where all uses come before it changes.
fn forward(code: &mut Code, from: Reg, writes: fn(&MInst) -> bool) {
    let counts = use_counts(code);
    let mut defs = vec![0u32; code.virt.len()];
    for inst in code.blocks.iter().flat_map(|b| &b.insts) {
        if let Some(v) = inst.def().and_then(Reg::virt) {
            defs[v as usize] += 1;
        }
    }
    let virt = &code.virt;
    for block in &mut code.blocks {
        let mut i = 0;
        while i < block.insts.len() {
            let copy = block.insts[i];
            // What is rotated must stay in r0 to r3: from r4 lanes rotate within their quads only.
            let may_move = |v: &u32| defs[*v as usize] == 1 && !virt[*v as usize].accumulator;
            let target = copy.def().and_then(Reg::virt).filter(may_move);
            let plain = copy.op == Oper::Mov && copy.src[0] == Some(Src::Reg(from)) && copy.cond == Cond::Always;
            if let (Some(v), true) = (target, plain && !copy.sf && copy.rotate == Rotate::None)
                && uses_before_change(&block.insts[i + 1..], Reg::Virt(v), writes) == counts[v as usize]
            {
                for inst in &mut block.insts[i + 1..] {
                    for s in inst.src.iter_mut().flatten() {
                        if *s == Src::Reg(Reg::Virt(v)) {
                            *s = Src::Reg(from);
                        }
                    }
                }
                block.insts.remove(i);
            } else {
                i += 1;
            }
        }
    }
}

/// Operands among these instructions that read `r` before one of them writes what it is a copy of.
fn uses_before_change(insts: &[MInst], r: Reg, writes: fn(&MInst) -> bool) -> u32 {
    let mut count = 0;
    for inst in insts {
        count += inst.src.iter().flatten().filter(|s| **s == Src::Reg(r)).count() as u32;
        if writes(inst) {
            break;
        }
    }
    count
}

/// Jumps to a block that only jumps on go where it goes.
fn thread_jumps(code: &mut Code) {
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
fn rotate_loops(code: &mut Code) {
    for b in 0..code.blocks.len() {
        let Term::Jump(header) = code.blocks[b].term else { continue };
        if header > b || !matches!(code.blocks[header].term, Term::Branch { .. }) {
            continue;
        }
        // A probe has one place.
        let probes = code.blocks[header].insts.iter().any(|i| matches!(i.op, Oper::Probe(_)));
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

fn predecessors(code: &Code) -> Vec<u32> {
    let mut counts = vec![0; code.blocks.len()];
    counts[0] = 1;
    for block in &code.blocks {
        block.term.targets().for_each(|t| counts[t] += 1);
    }
    counts
}

/// Appends a block to the only block that jumps to it.
fn merge_blocks(code: &mut Code) {
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
fn remove_unreachable(code: &mut Code) {
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
