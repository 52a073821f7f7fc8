//! Which physical registers are needed at the start of each block.

use crate::machine::schedule::deps;
use crate::vc4::minst::{Code, Term};

/// One bit per file register, accumulator, r4, r5 and the flags, numbered as [`deps::resource`] does.
pub type Set = u128;

/// The bit of a thing.
pub fn bit(resource: usize) -> Set {
    1 << resource
}

/// The registers and flags whose values each block needs when it starts.
pub fn at_start(code: &Code) -> Vec<Set> {
    let n = code.blocks.len();
    let (mut needed, mut kept) = (vec![0; n], vec![0; n]);
    for (b, block) in code.blocks.iter().enumerate() {
        let mut written: Set = 0;
        for inst in &block.insts {
            let mut reads: Set = 0;
            deps::for_each_read(code, inst, |r| reads |= bit(r));
            let mut writes: Set = 0;
            if let Some(r) = inst.def() {
                writes |= bit(deps::resource(r));
            }
            if inst.sf {
                writes |= bit(deps::FLAGS);
            }
            if deps::writes_r4(inst) {
                writes |= bit(deps::R4);
            }
            if inst.keeps_destination() {
                // What a condition leaves alone stays needed.
                reads |= writes;
                writes = 0;
            }
            needed[b] |= reads & !written;
            written |= writes;
        }
        if matches!(block.term, Term::Branch { .. }) {
            needed[b] |= bit(deps::FLAGS) & !written;
        }
        kept[b] = !written;
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
