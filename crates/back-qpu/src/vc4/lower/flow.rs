//! Structured control flow to blocks.

use super::cx::{Cx, Loop, Yield};
use crate::vc4::minst::{Dst, MInst, Reg, Src, Term, imm, shift_count};
use kir::{Block, Inst, Kernel, Op, Value};
use quadra_base::quick::Map;
use quadra_isa::vc4::{AddOp, BranchCond};
use quadra_kir as kir;
use quadra_passes::analysis::range::Range;

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

/// Whether a loop counts up or down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    Up,
    Down,
}

/// The sign of the steps that are no constants but have only one sign in any launch on so many QPUs, per induction variable.
pub fn signs(kernel: &Kernel, most_workers: u32) -> Map<Value, Sign> {
    let mut steps = Vec::new();
    kernel.body.walk(&mut |inst| {
        if inst.op == Op::For && kernel.as_i32(inst.args[2]).is_none() {
            steps.push((inst.regions[0].params[0], inst.args[2]));
        }
    });
    if steps.is_empty() {
        return Map::default();
    }
    let range = Range::with_workers(kernel, i64::from(most_workers));
    let sign = |step: Value| {
        let b = range.bounds(kernel, step);
        if b.low >= 0 { Some(Sign::Up) } else { (b.high < 0).then_some(Sign::Down) }
    };
    steps.into_iter().filter_map(|(iv, step)| Some((iv, sign(step)?))).collect()
}

/// The loop-carried values of a counted loop that always are its induction variable: they start where it starts and go on by its step.
///
/// ```text
/// %next = for %i in %a..%n step %s (%m: i32 = %a) { …  %t = add %i, %s  yield %t }
/// ```
fn copies_of_induction(inst: &Inst) -> Vec<bool> {
    let body = &inst.regions[0];
    let [lo, step, iv] = [inst.args[0], inst.args[2], body.params[0]];
    let adds = |v: Value| {
        let is_sum = |i: &Inst| i.op == Op::Add && (i.args[..] == [iv, step] || i.args[..] == [step, iv]);
        body.insts.iter().any(|i| i.results.contains(&v) && is_sum(i))
    };
    let last = body.terminator().filter(|t| t.op == Op::Yield && !leaves(body));
    let yields: &[Value] = last.map_or(&[], |t| &t.args);
    let mut yields = yields.iter().copied().map(Some).chain(std::iter::repeat(None));
    inst.carried().iter().map(|&start| yields.next().flatten().is_some_and(|y| start == lo && adds(y))).collect()
}

/// Whether something but the last `yield` may end an iteration.
fn leaves(body: &Block) -> bool {
    body.any(&mut |i| matches!(i.op, Op::Break | Op::Continue | Op::Return))
}

impl<'k> Cx<'k> {
    pub(super) fn flow(&mut self, inst: &'k Inst) {
        match inst.op {
            Op::If => self.lower_if(inst),
            Op::For => self.lower_for(inst),
            Op::Loop => self.lower_loop(inst),
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
                Some(l) => {
                    // The latch itself counts.
                    let others = l.params.iter().zip(&inst.args).filter(|(r, _)| Some(**r) != l.induction);
                    let (to, values): (Vec<Reg>, Vec<Value>) = others.map(|(r, v)| (*r, *v)).unzip();
                    let next = l.next;
                    self.copy_values(&to, &values);
                    return self.finish_block(Term::Jump(next));
                }
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
        self.loops.push(Loop { next: header, exit, params, results, induction: None });
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
        let iv = self.define(body.params[0]);
        let same = copies_of_induction(inst);
        let own = |cx: &mut Self, (v, same): (&Value, &bool)| {
            let r = if *same { iv } else { cx.define(*v) };
            cx.set(*v, r);
            r
        };
        let carried: Vec<Reg> = body.params[1..].iter().zip(&same).map(|p| own(self, p)).collect();
        let results: Vec<Reg> = inst.results.iter().map(|v| self.define(*v)).collect();
        // The induction variable of the body is a copy: the loop's own one decides, whatever the body does.
        let (lo_src, hi_src, step_src) = (self.src(lo), self.src(hi), self.src(step));
        let mut copies: Vec<(Reg, Src)> = vec![(iv, lo_src)];
        let others = carried.iter().zip(inst.carried()).filter(|(d, _)| **d != iv);
        copies.extend(others.map(|(d, v)| (*d, self.src(*v))));
        self.parallel_copy(&copies);
        let (exit, done) = (self.new_block(), self.new_block());
        self.depth += 1;
        let (head, latch) = (self.new_block(), self.new_block());
        self.depth -= 1;
        let known_step = self.kernel.as_i32(step);
        let bound = self.bound(hi_src, step_src, (known_step, self.signs.get(&body.params[0]).copied()));
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
        self.loops.push(Loop {
            next: latch,
            exit,
            params: carried.clone(),
            results: results.clone(),
            induction: Some(iv),
        });
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
    fn bound(&mut self, hi: Src, step: Src, known: (Option<i32>, Option<Sign>)) -> Bound {
        match known {
            (Some(0..), _) | (_, Some(Sign::Up)) => Bound::Up(hi),
            (Some(_), _) | (_, Some(Sign::Down)) => Bound::Down(hi),
            _ => {
                let flip = self.add_new(AddOp::Asr, step, shift_count(31));
                let hi = self.add_new(AddOp::Xor, hi, flip);
                Bound::Either { hi, flip }
            }
        }
    }

    /// Ends the block: to `head` while the induction variable has not reached its bound, else to `done`.
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
