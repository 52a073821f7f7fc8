//! Fewer instructions that only set flags.

use crate::minst::{Block, BlockId, Code, Dst, MInst, Oper, Reg, Rotate, Src, Term};
use quadra_qpu::vc4::{BranchCond, Cond};

/// A test of a value against zero comes with the operation that makes the value.
///
/// ```text
/// sub n, n, 1            sub.setf n, n, 1
/// mov.setf -, n     ⟶    brr.anynz …
/// brr.anynz …
/// ```
pub fn from_producers(block: &mut Block) {
    let mut i = 0;
    while i < block.insts.len() {
        match producer(block, i) {
            Some(p) => {
                block.insts[p].sf = true;
                block.insts.remove(i);
            }
            None => i += 1,
        }
    }
}

/// The operation that can set the flags instead of instruction `i`.
fn producer(block: &Block, i: usize) -> Option<usize> {
    let insts = &block.insts;
    let test = &insts[i];
    let is_test = test.op == Oper::Mov && test.dst == Dst::None && test.sf && test.cond == Cond::Always;
    let Some(Src::Reg(tested @ Reg::Virt(_))) = test.src[0] else { return None };
    if !is_test || test.rotate != Rotate::None || test.glued {
        return None;
    }
    let makes = |inst: &MInst| inst.def() == Some(tested);
    let p = insts[..i].iter().rposition(makes)?;
    let made = &insts[p];
    // Mul operations set flags only where the add ALU does nothing.
    if !matches!(made.op, Oper::Add(_)) || made.cond != Cond::Always || made.sf {
        return None;
    }
    let quiet = |inst: &MInst| !inst.sf && inst.cond == Cond::Always && !matches!(inst.op, Oper::Probe(_));
    (insts[p + 1..i].iter().all(quiet) && only_zero_and_sign(block, i)).then_some(p)
}

/// Whether what instruction `i` sets is asked only for Z and N: C depends on the operation.
fn only_zero_and_sign(block: &Block, i: usize) -> bool {
    for inst in &block.insts[i + 1..] {
        if inst.sf && inst.cond == Cond::Always {
            return true;
        }
        if inst.sf || matches!(inst.cond, Cond::Cs | Cond::Cc) {
            return false;
        }
    }
    use BranchCond::*;
    !matches!(block.term, Term::Branch { cond: AllCs | AllCc | AnyCs | AnyCc, .. })
}

/// A loop whose test is the same as the first comparison of its body does it once per iteration: the flags of the test are
/// still there at the start of the next one, and those of the test before the loop at the start of the first.
pub fn across_iterations(code: &mut Code, b: BlockId, before: BlockId) {
    let block = &code.blocks[b];
    let Some(first) = block.insts.iter().position(|i| i.sf || i.cond != Cond::Always) else { return };
    let test = block.insts[first];
    let plain = test.sf && test.cond == Cond::Always && test.dst == Dst::None && !test.glued;
    if !plain || !block.insts[..first].iter().all(|i| keeps(i, &test)) {
        return;
    }
    let at_end = |block: &Block| {
        let last = block.insts.iter().rposition(|i| i.sf);
        last.is_some_and(|l| same(&block.insts[l], &test) && block.insts[l + 1..].iter().all(|i| keeps(i, &test)))
    };
    let again = block.insts.iter().rposition(|i| i.sf) != Some(first);
    if again && at_end(block) && at_end(&code.blocks[before]) {
        code.blocks[b].insts.remove(first);
    }
}

/// Whether an instruction leaves what `test` reads alone.
fn keeps(inst: &MInst, test: &MInst) -> bool {
    inst.def().is_none_or(|d| test.reads().all(|r| r != d))
}

fn same(a: &MInst, b: &MInst) -> bool {
    let quiet = |s: &Src| matches!(s, Src::Reg(Reg::Virt(_)) | Src::Imm(_));
    a.op == b.op
        && a.src == b.src
        && a.dst == b.dst
        && a.cond == b.cond
        && a.rotate == b.rotate
        && a.src.iter().flatten().all(quiet)
}
