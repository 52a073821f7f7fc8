//! Mends operations that would read two registers of one file, or file B beside a small immediate: one operand goes
//! through an accumulator that is free at this place.

use super::assign::Assignment;
use crate::vc4::minst::{Code, MInst, Reg, Src};

/// Mends everything; false if an operation finds no free accumulator. If fewer than four accumulators were given out,
/// r3 always is free.
pub fn mend(code: &mut Code, assignment: &Assignment, accumulators: usize) -> bool {
    for (b, block) in code.blocks.iter_mut().enumerate() {
        let start = assignment.live.starts[b];
        let mut out = Vec::with_capacity(block.insts.len());
        for (i, mut inst) in block.insts.drain(..).enumerate() {
            if let Some(which) = conflict(&inst) {
                let time = 2 * (start + i as u32);
                let free = |n: usize| n >= accumulators || assignment.taken.is_free(n, time);
                let Some(n) = (0..4).rev().find(|n| free(*n)) else { return false };
                let source = inst.src[which].expect("a conflict has two operands");
                let through = Reg::Acc(n as u8);
                // Spill code is in place already, so gluing has no more use.
                out.push(MInst { span: inst.span, ..MInst::mov(through, source) });
                for s in inst.src.iter_mut().flatten() {
                    if *s == source {
                        *s = through.into();
                    }
                }
            }
            out.push(inst);
        }
        block.insts = out;
    }
    true
}

/// The operand to move out of the way.
fn conflict(inst: &MInst) -> Option<usize> {
    match (inst.src[0]?, inst.src[1]?) {
        (Src::Reg(Reg::A(x)), Src::Reg(Reg::A(y))) if x != y => Some(1),
        // A part can be had from file A alone.
        (Src::Part(..), Src::Reg(Reg::A(_))) => Some(1),
        (Src::Reg(Reg::A(_)), Src::Part(..)) => Some(0),
        (Src::Reg(Reg::B(x)), Src::Reg(Reg::B(y))) if x != y => Some(1),
        (Src::Reg(Reg::B(_)), Src::Imm(_)) => Some(0),
        (Src::Imm(_), Src::Reg(Reg::B(_))) => Some(1),
        _ => None,
    }
}
