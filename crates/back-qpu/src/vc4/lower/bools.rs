//! Truth values: conditions on the flags, registers that hold 0 or 1, votes and branches.

use super::cx::{Cx, Rep};
use crate::vc4::minst::{BlockId, Dst, MInst, Reg, Src, Term, imm};
use kir::{Def, Elem, Inst, Kernel, Op, Value};
use quadra_isa::vc4::{AddOp, BranchCond, Cond};
use quadra_kir as kir;

pub(super) fn is_compare(op: Op) -> bool {
    use Op::*;
    matches!(op, CmpEq | CmpNe | CmpLt | CmpLe | CmpGt | CmpGe | CmpLtU | CmpLeU | CmpGtU | CmpGeU)
}

fn is_connective(op: Op) -> bool {
    matches!(op, Op::And | Op::Or | Op::AndNot | Op::Not)
}

/// Per value, whether it may stay a condition: a comparison, vote or connective all of whose uses take a condition.
/// A connective or vote has only one use, or uses next to each other that share the flags, so that it is computed once.
pub(super) fn flag_values(kernel: &Kernel) -> Vec<bool> {
    let counts = kernel.use_counts();
    let n = kernel.values.len();
    let mut together = vec![false; n];
    used_together(&kernel.body, &counts, &mut together);
    // What each value would be, and how many of its uses take a condition.
    let mut lazy: Vec<Option<Op>> = vec![None; n];
    kernel.body.walk(&mut |inst| {
        if let [r] = inst.results[..]
            && kernel.ty(r).elem == Elem::Bool
        {
            let once = counts[r.index()] <= 1;
            let compare = is_compare(inst.op) && comparable(kernel.ty(inst.args[0]).elem);
            let computed_once = once || together[r.index()] && !inst.op.is_vote();
            if compare || (computed_once && (is_connective(inst.op) || inst.op.is_vote())) {
                lazy[r.index()] = Some(inst.op);
            }
        }
    });
    // Users come after their operands, so from the back each user's own fate is known.
    let mut insts = Vec::new();
    kernel.body.walk(&mut |inst| insts.push(inst));
    let mut taken = vec![0u32; n];
    let mut out = vec![false; n];
    for inst in insts.into_iter().rev() {
        if let [r] = inst.results[..]
            && lazy[r.index()].is_some()
        {
            out[r.index()] = taken[r.index()] == counts[r.index()];
        }
        let result_is_lazy = matches!(inst.results[..], [r] if out[r.index()]);
        for (i, v) in inst.args.iter().enumerate() {
            let vote = matches!(lazy[v.index()], Some(op) if op.is_vote());
            let takes = match inst.op {
                Op::If => i == 0,
                Op::Select => i == 0 && !vote,
                Op::VoteAny | Op::VoteAll => !vote,
                Op::Not => result_is_lazy,
                op if is_connective(op) => result_is_lazy && !vote,
                _ => false,
            };
            taken[v.index()] += u32::from(takes);
        }
        if let Some(mask) = inst.mask
            && !matches!(inst.op, Op::Print | Op::Assert)
            && !matches!(lazy[mask.index()], Some(op) if op.is_vote())
        {
            taken[mask.index()] += 1;
        }
    }
    without_nested_votes(kernel, &lazy, &mut out);
    out
}

/// A vote under a `not` that is not asked by an `if` would need a branch in the middle of a condition.
fn without_nested_votes(kernel: &Kernel, lazy: &[Option<Op>], out: &mut [bool]) {
    kernel.body.walk(&mut |inst| {
        for &v in &inst.args {
            let vote = matches!(lazy[v.index()], Some(op) if op.is_vote());
            if vote && inst.op == Op::Not && !asked_by_if(kernel, inst.result()) {
                out[v.index()] = false;
            }
        }
    });
}

/// Marks the truth values all of whose uses are choices and votes in one run of such instructions: between them nothing sets flags.
fn used_together(block: &kir::Block, counts: &[u32], out: &mut [bool]) {
    let asked = |inst: &Inst| match inst.op {
        Op::Select | Op::VoteAny | Op::VoteAll if inst.mask.is_none() => Some(inst.args[0]),
        _ => None,
    };
    let mut at = 0;
    while at < block.insts.len() {
        let value = asked(&block.insts[at]);
        let run = block.insts[at..].iter().take_while(|i| value.is_some() && asked(i) == value).count();
        if let Some(v) = value
            && counts[v.index()] as usize == run
        {
            out[v.index()] = true;
        }
        at += run.max(1);
    }
    block.insts.iter().flat_map(|i| &i.regions).for_each(|r| used_together(r, counts, out));
}

fn asked_by_if(kernel: &Kernel, v: Value) -> bool {
    kernel.body.any(&mut |i| i.op == Op::If && i.args[0] == v)
}

fn comparable(elem: Elem) -> bool {
    matches!(elem, Elem::I32 | Elem::F32 | Elem::Bool)
}

/// The branch that is taken if the condition holds in some lane.
pub(super) fn any_of(cond: Cond) -> BranchCond {
    match cond {
        Cond::Zs => BranchCond::AnyZs,
        Cond::Zc => BranchCond::AnyZc,
        Cond::Ns => BranchCond::AnyNs,
        Cond::Nc => BranchCond::AnyNc,
        Cond::Cs => BranchCond::AnyCs,
        Cond::Cc => BranchCond::AnyCc,
        Cond::Always | Cond::Never => BranchCond::Always,
    }
}

/// A condition before its setter is emitted.
#[derive(Clone, Copy)]
pub(super) struct Setter {
    pub inst: MInst,
    /// The lanes where the condition holds, after `inst`.
    pub holds: Cond,
    /// Whether C is clear wherever `inst` runs, so that C can say that a lane has failed.
    pub clears_c: bool,
}

/// What a conjunction asks for.
#[derive(Default)]
pub(super) struct Parts {
    pub tests: Vec<Setter>,
    /// Registers of 0 and 1, which any flag can say.
    pub registers: Vec<Src>,
}

impl<'k> Cx<'k> {
    /// Sets the flags and gives the lanes where `v` holds.
    pub(super) fn condition(&mut self, v: Value) -> Cond {
        if let Some((known, cond)) = self.flags
            && known == v
        {
            return cond;
        }
        let cond = self.set_condition(v);
        self.flags = Some((v, cond));
        cond
    }

    fn set_condition(&mut self, v: Value) -> Cond {
        if let Rep::Lazy(inst) = self.reps[v.index()] {
            match inst.op {
                Op::Not => return self.set_condition(inst.args[0]).inverse(),
                Op::And | Op::Or | Op::AndNot => return self.connective(inst),
                Op::CmpEq | Op::CmpNe if self.kernel.ty(inst.args[0]).elem == Elem::F32 => {
                    return self.float_equal(inst);
                }
                _ => {}
            }
        }
        let setter = self.setter(v);
        self.emit(setter.inst);
        setter.holds
    }

    /// Equal floats are those of which neither is greater: the second comparison runs where the first says no, and
    /// elsewhere the flags of the first stay.
    fn float_equal(&mut self, inst: &'k Inst) -> Cond {
        let (a, b) = (self.src(inst.args[0]), self.src(inst.args[1]));
        let (a, b) = self.pair(a, b);
        self.emit(MInst::add(AddOp::Fmax, Dst::None, a, b).flags());
        self.emit(MInst::add(AddOp::Fmax, Dst::None, b, a).flags().when(Cond::Cc));
        if inst.op == Op::CmpNe { Cond::Cs } else { Cond::Cc }
    }

    /// The instruction that tests a comparison or a register of 0 and 1. Reads operands, which may set flags.
    fn setter(&mut self, v: Value) -> Setter {
        match self.reps[v.index()] {
            Rep::Lazy(inst) if is_compare(inst.op) => self.compare_setter(inst),
            _ => {
                let s = match self.kernel.values[v].def {
                    Def::Const(c) => imm((c.bits & 1) as i32),
                    _ => self.src(v),
                };
                Setter { inst: MInst::mov(Dst::None, s).flags(), holds: Cond::Zc, clears_c: true }
            }
        }
    }

    pub(super) fn compare_setter(&mut self, inst: &'k Inst) -> Setter {
        let float = self.kernel.ty(inst.args[0]).elem == Elem::F32;
        let (a, b) = (self.src(inst.args[0]), self.src(inst.args[1]));
        let zero = self.kernel.as_i32(inst.args[1]) == Some(0);
        let sign = match inst.op {
            Op::CmpLt if zero => Some(Cond::Ns),
            Op::CmpGe if zero => Some(Cond::Nc),
            Op::CmpEq if zero => Some(Cond::Zs),
            Op::CmpNe if zero => Some(Cond::Zc),
            _ => None,
        };
        if let Some(holds) = sign {
            return Setter { inst: MInst::mov(Dst::None, a).flags(), holds, clears_c: true };
        }
        let (a, b) = self.pair(a, b);
        // `max` and `fmax` set C where the first operand is greater, `sub` where it is smaller as unsigned.
        let greater = if float { AddOp::Fmax } else { AddOp::Max };
        let (op, x, y, holds) = match inst.op {
            Op::CmpEq => (AddOp::Xor, a, b, Cond::Zs),
            Op::CmpNe => (AddOp::Xor, a, b, Cond::Zc),
            Op::CmpGt => (greater, a, b, Cond::Cs),
            Op::CmpLe => (greater, a, b, Cond::Cc),
            Op::CmpLt => (greater, b, a, Cond::Cs),
            Op::CmpGe => (greater, b, a, Cond::Cc),
            Op::CmpLtU => (AddOp::Sub, a, b, Cond::Cs),
            Op::CmpGeU => (AddOp::Sub, a, b, Cond::Cc),
            Op::CmpGtU => (AddOp::Sub, b, a, Cond::Cs),
            _ => (AddOp::Sub, b, a, Cond::Cc),
        };
        let clears_c = op == AddOp::Xor;
        Setter { inst: MInst::add(op, Dst::None, x, y).flags(), holds, clears_c }
    }

    /// A condition as 0 or 1 per lane.
    pub(super) fn materialise(&mut self, inst: &'k Inst) -> Reg {
        if inst.op.is_vote() {
            return self.materialise_vote(inst);
        }
        let outer = self.reps[inst.result().index()];
        self.reps[inst.result().index()] = Rep::Lazy(inst);
        // Operands first: reading them may need registers of their own, computed by other conditions.
        let d = self.fresh();
        let cond = self.condition(inst.result());
        let (yes, no) = (MInst::mov(d, imm(1)).when(cond), MInst::mov(d, imm(0)));
        // The 0 goes before the setter, so that it is an unconditional write.
        let block = self.cur;
        let setter = self.code.blocks[block].insts.iter().rposition(|i| i.sf).expect("a setter was just emitted");
        let first = self.first_of_chain(block, setter);
        let zero = MInst { span: self.span, ..no };
        self.code.blocks[block].insts.insert(first, zero);
        self.emit(yes);
        self.reps[inst.result().index()] = outer;
        d
    }

    /// The first setter of the chain of conditional setters that ends at `last`.
    fn first_of_chain(&self, block: BlockId, last: usize) -> usize {
        let insts = &self.code.blocks[block].insts;
        let mut i = last;
        while insts[i].cond != Cond::Always && i > 0 {
            i -= 1;
            while i > 0 && !insts[i].sf {
                i -= 1;
            }
        }
        i
    }

    fn materialise_vote(&mut self, inst: &'k Inst) -> Reg {
        let d = self.fresh();
        let (yes, join) = (self.new_block(), self.new_block());
        let one = self.const_reg(1);
        self.emit(MInst::mov(d, imm(0)));
        let (cond, holds) = self.vote_condition(inst);
        let (taken, other) = if holds { (yes, join) } else { (join, yes) };
        self.finish_block(Term::Branch { cond, taken, other });
        self.start(yes);
        self.emit(MInst::mov(d, one));
        self.finish_block(Term::Jump(join));
        self.start(join);
        d
    }

    /// Sets the flags for a vote: the branch condition, and whether the vote holds when it is met.
    fn vote_condition(&mut self, inst: &'k Inst) -> (BranchCond, bool) {
        let v = inst.args[0];
        let all = inst.op == Op::VoteAll;
        let Some(mask) = inst.mask else {
            let cond = self.condition(v);
            return if all { (any_of(cond.inverse()), false) } else { (any_of(cond), true) };
        };
        // any: some lane is live and holds; all: no lane is live and does not hold.
        let mut parts = Parts::default();
        self.part(mask, false, &mut parts);
        self.part(v, all, &mut parts);
        let cond = self.conjunction(parts);
        (any_of(cond), !all)
    }

    /// Ends the block with a branch on a `bool` that is the same in all lanes.
    pub(super) fn branch_on(&mut self, v: Value, yes: BlockId, no: BlockId) {
        if let Some(c) = self.kernel.as_const(v) {
            let to = if c.bits & 1 != 0 { yes } else { no };
            return self.finish_block(Term::Jump(to));
        }
        if let Rep::Lazy(inst) = self.reps[v.index()] {
            if inst.op == Op::Not {
                return self.branch_on(inst.args[0], no, yes);
            }
            if inst.op.is_vote() {
                let (cond, holds) = self.vote_condition(inst);
                let (taken, other) = if holds { (yes, no) } else { (no, yes) };
                return self.finish_block(Term::Branch { cond, taken, other });
            }
        }
        let cond = any_of(self.condition(v));
        self.finish_block(Term::Branch { cond, taken: yes, other: no });
    }

    /// Whether a value holds one element per lane.
    pub(super) fn is_vector(&self, v: Value) -> bool {
        self.kernel.ty(v).lanes
    }

    /// A mask as a register of 0 and 1, for probes.
    pub(super) fn mask_reg(&mut self, v: Value) -> Reg {
        match self.src(v) {
            Src::Reg(r) => r,
            Src::Imm(i) => self.const_reg(i.bits()),
            _ => self.const_reg(1),
        }
    }
}
