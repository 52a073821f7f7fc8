//! Fewer instructions that only set flags.

use crate::machine::isa::Instruction;
use crate::vc4::minst::{Block, BlockId, Code, Dst, MInst, Oper, Reg, Rotate, Src, Term};
use quadra_isa::vc4::{AddOp, BranchCond, Cond, SmallImm};

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

/// Lane 0 and lane 15 are told apart from the others by one comparison, where a block tests for both: the smaller of the
/// lane's number and 14 is zero in lane 0 only, and C says that the number is larger than 14 (`min` sets C if its first
/// operand is the larger one).
///
/// ```text
/// xor.setf -, lane, 15        min.setf -, lane, 14
/// mov.ifz a, b                mov.ifc a, b
/// mov.setf -, lane       ⟶
/// mov.ifz c, d                mov.ifz c, d
/// ```
pub fn first_and_last_lane(block: &mut Block, is_lane: impl Fn(Reg) -> bool) {
    let tests: Vec<(usize, bool)> = (0..block.insts.len())
        .filter_map(|i| Some((i, lane_test(&block.insts[i], &is_lane)?)))
        .filter(|&(i, _)| asks_only_for_zero(block, i))
        .collect();
    let both = tests.iter().any(|t| t.1) && tests.iter().any(|t| !t.1);
    let Some(lane) = tests.first().and_then(|&(i, _)| block.insts[i].src[0]) else { return };
    let small = SmallImm::from_int(14).expect("small");
    if !both {
        return;
    }
    for &(i, last) in &tests {
        let test = MInst::add(AddOp::Min, Dst::None, lane, Src::Imm(small)).flags();
        block.insts[i] = MInst { span: block.insts[i].span, ..test };
        let users = block.insts[i + 1..].iter_mut().take_while(|u| !u.sf);
        for user in users.filter(|_| last) {
            user.cond = match user.cond {
                Cond::Zs => Cond::Cs,
                Cond::Zc => Cond::Cc,
                other => other,
            };
        }
    }
    // What is set already need not be set again.
    let mut set = false;
    block.insts.retain(|inst| {
        let again = inst.sf && lane_is_compared(inst, lane, small);
        let keep = !(again && set);
        if inst.sf {
            set = again;
        }
        keep
    });
}

fn lane_is_compared(inst: &MInst, lane: Src, small: SmallImm) -> bool {
    inst.op == Oper::Add(AddOp::Min) && inst.dst == Dst::None && inst.src == [Some(lane), Some(Src::Imm(small))]
}

/// Whether an instruction asks for the last lane (`true`) or the first, and does nothing else.
fn lane_test(inst: &MInst, is_lane: &impl Fn(Reg) -> bool) -> Option<bool> {
    let plain = inst.sf && inst.dst == Dst::None && inst.cond == Cond::Always && inst.rotate == Rotate::None;
    let lane = inst.src[0].and_then(Src::reg).is_some_and(is_lane);
    match (inst.op, inst.src[1]) {
        _ if !plain || !lane || inst.glued => None,
        (Oper::Mov, _) => Some(false),
        (Oper::Add(AddOp::Xor), Some(Src::Imm(i))) if Some(i) == SmallImm::from_int(15) => Some(true),
        _ => None,
    }
}

/// Whether the flags that instruction `i` sets serve only conditions on Z of instructions of the same block.
fn asks_only_for_zero(block: &Block, i: usize) -> bool {
    for inst in &block.insts[i + 1..] {
        if !matches!(inst.cond, Cond::Always | Cond::Zs | Cond::Zc) {
            return false;
        }
        if inst.sf {
            return inst.cond == Cond::Always;
        }
    }
    !matches!(block.term, Term::Branch { .. })
}
