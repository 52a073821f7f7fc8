//! Which physical registers are needed at the start of each block.

use super::code::{Code, Term};
use super::isa::{Instruction, Isa};
use super::registers::{Reg, Set, bit, flags};

/// The number of a physical register among registers and flags; virtual ones have none.
pub fn state(r: Reg) -> Option<usize> {
    match r {
        Reg::Phys(n) => Some(n.into()),
        Reg::Virt(_) => None,
    }
}

/// The registers and flags that an operation reads, a conditional write's destination not included.
pub fn read<I: Isa>(code: &Code<I>, inst: &I::Inst) -> Set {
    let mut set = if inst.reads_flags() { bit(flags::<I>()) } else { 0 };
    let mut add = |r: Reg| set |= state(r).map_or(0, bit);
    inst.for_each_read(&mut add);
    if inst.probe().is_some() {
        code.probed(inst).for_each(add);
    }
    set
}

/// The registers and flags that an operation changes.
pub fn written<I: Isa>(inst: &I::Inst) -> Set {
    let register = |r: Option<Reg>| r.and_then(state).map_or(0, bit);
    let flags = if inst.sets_flags() { bit(flags::<I>()) } else { 0 };
    register(inst.def()) | register(inst.also_writes()) | flags
}

/// The registers and flags whose values each block needs when it starts.
pub fn at_start<I: Isa>(code: &Code<I>) -> Vec<Set> {
    let n = code.blocks.len();
    let (mut needed, mut kept) = (vec![0; n], vec![0; n]);
    for (b, block) in code.blocks.iter().enumerate() {
        let mut done: Set = 0;
        for inst in &block.insts {
            let (mut reads, mut writes) = (read(code, inst), written::<I>(inst));
            if inst.keeps_destination() {
                // What a condition leaves alone stays needed.
                reads |= writes;
                writes = 0;
            }
            needed[b] |= reads & !done;
            done |= writes;
        }
        if matches!(block.term, Term::Branch { .. }) {
            needed[b] |= bit(flags::<I>()) & !done;
        }
        kept[b] = !done;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for b in (0..n).rev() {
            let after = code.blocks[b].term.targets().fold(0, |s, t| s | needed[t]);
            let new = needed[b] | after & kept[b];
            changed |= new != needed[b];
            needed[b] = new;
        }
    }
    needed
}
