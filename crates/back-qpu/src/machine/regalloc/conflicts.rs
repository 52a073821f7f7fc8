//! Mends operations whose two operands need one read port: one operand goes through a quick register that is free at this place.

use super::assign::Assignment;
use crate::machine::code::Code;
use crate::machine::isa::{Instruction, Isa};
use crate::machine::registers::{self, Bank, Set, last};

/// Mends everything; false if an operation finds no free register. Those that allocation was not given always are free.
pub fn mend<I: Isa>(code: &mut Code<I>, assignment: &Assignment, given: Set) -> bool {
    let quick = Bank::Quick.members::<I>();
    for (b, block) in code.blocks.iter_mut().enumerate() {
        let start = assignment.live.starts[b];
        let mut out = Vec::with_capacity(block.insts.len());
        for (i, mut inst) in block.insts.drain(..).enumerate() {
            if let Some(which) = inst.conflict() {
                let time = 2 * (start + i as u32);
                let free = quick & !(assignment.taken.at(time) & given);
                let Some(place) = last(free) else { return false };
                // Spill code is in place already, so gluing has no more use.
                let copy = inst.move_out(which, registers::at(place));
                out.push(copy);
            }
            out.push(inst);
        }
        block.insts = out;
    }
    true
}
