//! Small improvements of machine code before registers are allocated: r4 and r5, waits for stores, and what every machine's code has.

use super::minst::{Code, Dst, MInst, Oper, Reg, Rotate, Src};
use crate::machine::cleanup::{join_blocks, remove_dead, rotate_loops, thread_jumps, use_counts};
use crate::machine::isa::Instruction;
use crate::machine::registers::Bank;
use quadra_isa::vc4::{Cond, Waddr};

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
            let may_move = |v: &u32| defs[*v as usize] == 1 && virt[*v as usize].bank != Some(Bank::Quick);
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
