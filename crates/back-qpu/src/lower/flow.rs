//! Structured control flow to blocks.

use super::{Cx, Loop, Yield, imm, shift_count};
use crate::minst::{Dst, MInst, Reg, Src, Term};
use kir::{Inst, Op};
use quadra_kir as kir;
use quadra_qpu::vc4::{AddOp, BranchCond};

/// The end of a counted loop.
#[derive(Clone, Copy)]
enum Bound {
    /// While below.
    Up(Src),
    /// While above.
    Down(Src),
    Either {
        hi: Reg,
        flip: Reg,
    },
}

impl<'k> Cx<'k> {
    pub(super) fn flow(&mut self, inst: &'k Inst) {
        match inst.op {
            Op::If => self.lower_if(inst),
            Op::For => self.lower_for(inst),
            Op::Loop => self.lower_loop(inst),
            Op::Each => {
                // Groups are one subgroup here.
                self.error("groups of more than 16 items do not fit the QPU's 16 lanes");
            }
            Op::Yield => self.lower_yield(inst),
            Op::Break | Op::Continue => self.leave(inst),
            _ => {
                let end = self.return_target();
                self.finish_block(Term::Jump(end));
            }
        }
    }

    fn lower_if(&mut self, inst: &'k Inst) {
        let results: Vec<Reg> = inst.results.iter().map(|v| self.define(*v)).collect();
        let (yes, no, join) = (self.new_block(), self.new_block(), self.new_block());
        self.branch_on(inst.args[0], yes, no);
        for (block, region) in [(yes, &inst.regions[0]), (no, &inst.regions[1])] {
            self.start(block);
            self.yields.push(Yield::Join(results.clone(), join));
            self.block(region);
            self.yields.pop();
        }
        self.span = inst.span;
        self.start(join);
    }

    fn lower_yield(&mut self, inst: &'k Inst) {
        let (results, join) = match self.yields.last() {
            Some(Yield::Join(results, join)) => (results.clone(), *join),
            Some(Yield::Latch) => match self.loops.last() {
                Some(l) => (l.params.clone(), l.next),
                None => return self.error("`yield` stands outside of `if` and loops"),
            },
            None => return self.error("`yield` stands outside of `if` and loops"),
        };
        self.copy_values(&results, &inst.args);
        self.finish_block(Term::Jump(join));
    }

    fn copy_values(&mut self, to: &[Reg], values: &[kir::Value]) {
        let copies: Vec<(Reg, Src)> = to.iter().zip(values).map(|(d, v)| (*d, self.src(*v))).collect();
        self.parallel_copy(&copies);
    }

    fn leave(&mut self, inst: &'k Inst) {
        let Some(l) = self.loops.last() else {
            return self.error(format!("`{}` stands outside of a loop", inst.op.mnemonic()));
        };
        let (to, block) = if inst.op == Op::Break { (l.results.clone(), l.exit) } else { (l.params.clone(), l.next) };
        self.copy_values(&to, &inst.args);
        self.finish_block(Term::Jump(block));
    }

    fn lower_loop(&mut self, inst: &'k Inst) {
        let body = &inst.regions[0];
        let params: Vec<Reg> = body.params.iter().map(|v| self.define(*v)).collect();
        self.copy_values(&params, &inst.args);
        let results: Vec<Reg> = inst.results.iter().map(|v| self.define(*v)).collect();
        let exit = self.new_block();
        self.depth += 1;
        let header = self.new_block();
        self.finish_block(Term::Jump(header));
        self.start(header);
        self.computed(&body.params);
        self.loops.push(Loop { next: header, exit, params, results });
        self.yields.push(Yield::Latch);
        self.block(body);
        self.yields.pop();
        self.loops.pop();
        self.depth -= 1;
        self.span = inst.span;
        self.start(exit);
    }

    /// `for`: a test before the first iteration unless constants decide it, and one after each.
    fn lower_for(&mut self, inst: &'k Inst) {
        let body = &inst.regions[0];
        let [lo, hi, step] = [inst.args[0], inst.args[1], inst.args[2]];
        let params: Vec<Reg> = body.params.iter().map(|v| self.define(*v)).collect();
        let (iv, carried) = (params[0], params[1..].to_vec());
        let results: Vec<Reg> = inst.results.iter().map(|v| self.define(*v)).collect();
        // The induction variable of the body is a copy: the loop's own counter decides, whatever the body does.
        let (lo_src, hi_src, step_src) = (self.src(lo), self.src(hi), self.src(step));
        let mut copies: Vec<(Reg, Src)> = vec![(iv, lo_src)];
        copies.extend(carried.iter().zip(inst.carried()).map(|(d, v)| (*d, self.src(*v))));
        self.parallel_copy(&copies);
        let (exit, done) = (self.new_block(), self.new_block());
        self.depth += 1;
        let (head, latch) = (self.new_block(), self.new_block());
        self.depth -= 1;
        let known_step = self.kernel.as_i32(step);
        let bound = self.bound(hi_src, step_src, known_step);
        let runs = match (self.kernel.as_i32(lo), self.kernel.as_i32(hi), known_step) {
            (Some(lo), Some(hi), Some(s)) => s > 0 && lo < hi || s < 0 && lo > hi,
            _ => false,
        };
        if runs {
            self.finish_block(Term::Jump(head));
        } else {
            self.for_test(iv, bound, head, done);
        }
        self.depth += 1;
        self.start(head);
        self.computed(&body.params);
        self.loops.push(Loop { next: latch, exit, params: carried.clone(), results: results.clone() });
        self.yields.push(Yield::Latch);
        self.block(body);
        self.yields.pop();
        self.loops.pop();
        self.span = inst.span;
        self.start(latch);
        self.add(AddOp::Add, iv, iv, step_src);
        self.for_test(iv, bound, head, done);
        self.depth -= 1;
        // Without `break` the results are the carried values.
        self.start(done);
        let copies: Vec<(Reg, Src)> = results.iter().zip(&carried).map(|(d, s)| (*d, Src::Reg(*s))).collect();
        self.parallel_copy(&copies);
        self.finish_block(Term::Jump(exit));
        self.start(exit);
    }

    /// How a counted loop knows its end. A step whose sign is known only when the loop runs is turned into a mask: 0 to
    /// count up, all ones to count down, where complements compare the other way round.
    fn bound(&mut self, hi: Src, step: Src, known: Option<i32>) -> Bound {
        match known {
            Some(s) if s >= 0 => Bound::Up(hi),
            Some(_) => Bound::Down(hi),
            None => {
                let flip = self.add_new(AddOp::Asr, step, shift_count(31));
                let hi = self.add_new(AddOp::Xor, hi, flip);
                Bound::Either { hi, flip }
            }
        }
    }

    /// Ends the block: to `head` while the counter has not reached its bound, else to `done`.
    fn for_test(&mut self, iv: Reg, bound: Bound, head: usize, done: usize) {
        let (greater, smaller) = match bound {
            Bound::Up(hi) => (hi, iv.into()),
            Bound::Down(hi) => (iv.into(), hi),
            Bound::Either { hi, flip } => (hi.into(), self.add_new(AddOp::Xor, iv, flip).into()),
        };
        let (a, b) = self.pair(greater, smaller);
        self.emit(MInst::add(AddOp::Max, Dst::None, a, b).flags());
        self.finish_block(Term::Branch { cond: BranchCond::AnyCs, taken: head, other: done });
    }

    /// A counted loop of the back end's own: `body` runs `n` times (1 to 16) with everything else in registers.
    pub(super) fn repeat(&mut self, n: u32, body: impl FnOnce(&mut Self)) {
        let count = self.fresh();
        let start = self.const_src(n);
        self.emit(MInst::mov(count, start));
        let exit = self.new_block();
        self.depth += 1;
        let head = self.new_block();
        self.finish_block(Term::Jump(head));
        self.start(head);
        body(self);
        self.emit(MInst::add(AddOp::Sub, count, count, imm(1)).flags());
        self.finish_block(Term::Branch { cond: BranchCond::AnyZc, taken: head, other: exit });
        self.depth -= 1;
        self.start(exit);
    }

    /// Runs `body` only if `test` left a branch condition that is met.
    pub(super) fn only_if(&mut self, v: kir::Value, body: impl FnOnce(&mut Self)) {
        let (yes, join) = (self.new_block(), self.new_block());
        self.branch_on(v, yes, join);
        self.start(yes);
        body(self);
        self.finish_block(Term::Jump(join));
        self.start(join);
    }
}
