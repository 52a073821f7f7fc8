//! Blocks, conditions and exits.

use super::{End, Live, Mask, State, ends};
use quadra_kir::{Block, Inst, Op, Type, Value, Values};

/// Whether a region holds something that is better skipped, or must be, when no lane wants it.
fn is_heavy(region: &Block) -> bool {
    region.any(&mut |i| matches!(i.op, Op::For | Op::Loop) || i.op.is_atomic())
}

impl Mask<'_> {
    /// Emits the masked form of `block`; `state` is that at its start and, afterwards, at its end.
    pub(super) fn block(&mut self, block: Block, out: &mut Vec<Inst>, state: &mut State) -> End {
        for inst in block.insts {
            match inst.op {
                Op::Yield => return End::Yields(self.all_at(&inst.args)),
                Op::Break | Op::Continue | Op::Return => {
                    self.exit(inst, out, state);
                    return End::Left;
                }
                Op::If if self.kernel.ty(self.at(inst.args[0])).lanes => self.divergent_if(inst, out, state),
                Op::If => self.uniform_if(inst, out, state),
                Op::For | Op::Loop => self.repeat(inst, out, state),
                _ => self.plain(inst, out, state),
            }
            if state.live == Live::None {
                return End::Left;
            }
        }
        End::Left
    }

    /// `break`, `continue`, `return`: a terminator where all live lanes go, else a change of masks.
    fn exit(&mut self, mut inst: Inst, out: &mut Vec<Inst>, state: &mut State) {
        let masked = if inst.op == Op::Return { state.divergent } else { state.frame.is_some() };
        if !masked {
            inst.args = self.all_at(&inst.args);
            out.push(inst);
            return;
        }
        let args = self.all_at(&inst.args);
        let live = state.live;
        match inst.op {
            Op::Return => {
                let alive = self.alive.expect("`enter` has seen the return");
                self.leave(alive, live, out);
                for f in 0..self.frames.len() {
                    self.leave(self.frames[f].live, live, out);
                }
            }
            op => {
                let f = state.frame.expect("a masked exit has its loop");
                let leaves = op == Op::Break;
                let vars = if leaves { self.frames[f].results.clone() } else { self.frames[f].next.clone() };
                let merge = leaves || self.frames[f].merge;
                for (var, value) in vars.into_iter().zip(args) {
                    self.pass(var, value, live, merge, out);
                }
                if op == Op::Break {
                    self.leave(self.frames[f].live, live, out);
                }
            }
        }
        state.live = Live::None;
        state.maybe_empty = true;
    }

    /// Takes the live lanes out of the set that `var` holds.
    fn leave(&mut self, var: quadra_kir::Var, live: Live, out: &mut Vec<Inst>) {
        let Live::Some(m) = live else {
            return self.set(var, Live::None, out);
        };
        let old = self.get(var, out);
        let rest = self.op(Op::AndNot, &[old, m], out, None);
        self.set_value(var, rest, out);
    }

    /// Assigns a carried or exit value, in the live lanes only if `merge`.
    pub(super) fn pass(&mut self, var: quadra_kir::Var, value: Value, live: Live, merge: bool, out: &mut Vec<Inst>) {
        let value = if merge {
            let old = self.get(var, out);
            match live {
                // Lanes that share the value go together; but what follows an exit also runs when none is left.
                Live::Some(m) if !self.kernel.vars[var].ty.lanes => {
                    let any = self.op(Op::VoteAny, &[m], out, None);
                    self.op(Op::Select, &[any, value, old], out, None)
                }
                _ => self.merged(live, value, old, out),
            }
        } else {
            value
        };
        self.set_value(var, value, out);
    }

    /// Both arms one after the other under their masks, then the results by `select`.
    fn divergent_if(&mut self, inst: Inst, out: &mut Vec<Inst>, state: &mut State) {
        let c = self.at(inst.args[0]);
        let before = state.live;
        let mut arms = inst.regions.into_iter();
        let (then, other) = (arms.next().unwrap_or_default(), arms.next().unwrap_or_default());
        let on = self.and(before, c, out);
        let (yes, on_end) = self.arm(then, on, out, state);
        let off = self.and_not(before, c, out);
        let (no, off_end) = self.arm(other, off, out, state);
        let stays = |end: Live, start: Live| end == start;
        if !(stays(on_end, on) && stays(off_end, off)) {
            state.live = self.or(on_end, off_end, out);
            state.maybe_empty = true;
        }
        for (j, &result) in inst.results.iter().enumerate() {
            let value = match (&yes, &no) {
                (Some(a), Some(b)) if a[j] == b[j] => a[j],
                (Some(a), Some(b)) => self.op(Op::Select, &[c, a[j], b[j]], out, inst.span),
                (Some(a), None) => a[j],
                (None, Some(b)) => b[j],
                (None, None) => continue,
            };
            self.map.insert(result, value);
        }
    }

    /// One arm of a divergent `if`. Gives what it yields, or nothing if it leaves, and the lanes live at its end.
    fn arm(&mut self, region: Block, live: Live, out: &mut Vec<Inst>, state: &State) -> (Option<Values>, Live) {
        let mut inner = State { live, maybe_empty: true, divergent: true, ..*state };
        if !is_heavy(&region) {
            return match self.block(region, out, &mut inner) {
                End::Yields(values) => (Some(values), inner.live),
                End::Left => (None, Live::None),
            };
        }
        inner.maybe_empty = false;
        let mut body = Vec::new();
        let end = self.block(region, &mut body, &mut inner);
        let (values, after) = match end {
            End::Yields(values) => (Some(values), inner.live),
            End::Left => (None, Live::None),
        };
        let after = if after == live { live } else { self.carry_out(after, &mut body, out) };
        let yields = values.clone().unwrap_or_default();
        let results = self.guard(live, body, &yields, out);
        (values.map(|_| results), after)
    }

    /// Makes the live set at the end of `body`, which runs under a condition, known behind it: no lane if it does not run.
    fn carry_out(&mut self, end: Live, body: &mut Vec<Inst>, out: &mut Vec<Inst>) -> Live {
        if end == Live::None {
            return Live::None;
        }
        let var = self.var("live", Type::vector(quadra_kir::Elem::Bool));
        self.set(var, Live::None, out);
        self.set(var, end, body);
        Live::Some(self.late(var))
    }

    /// Emits `body` under `if any(live)`. Gives values for `yields` that hold behind it, zero where it did not run.
    pub(super) fn guard(&mut self, live: Live, mut body: Vec<Inst>, yields: &[Value], out: &mut Vec<Inst>) -> Values {
        let mask = self.mask_value(live);
        let any = self.op(Op::VoteAny, &[mask], out, None);
        let zeros: Values = yields.iter().map(|&v| self.zero(self.kernel.ty(v))).collect();
        let results: Values = yields.iter().map(|&v| self.kernel.new_value(self.kernel.ty(v))).collect();
        body.push(Inst::new(Op::Yield, yields.iter().copied()));
        let mut inst = Inst::new(Op::If, [any]);
        let none = Block { params: Values::new(), insts: vec![Inst::new(Op::Yield, zeros)] };
        inst.regions = vec![Block { params: Values::new(), insts: body }, none];
        inst.results = results.clone();
        out.push(inst);
        self.read_late(out);
        results
    }

    /// A scalar `if` stays one; where its arms end with other live lanes than it began with, the set goes through a variable.
    fn uniform_if(&mut self, mut inst: Inst, out: &mut Vec<Inst>, state: &mut State) {
        inst.args = self.all_at(&inst.args);
        let mut arms: Vec<(Vec<Inst>, Option<Live>)> = Vec::new();
        for region in std::mem::take(&mut inst.regions) {
            let mut inner = *state;
            let mut body = Vec::new();
            let end = self.block(region, &mut body, &mut inner);
            let live = match end {
                End::Left if ends(&body) => None,
                End::Left => {
                    let zeros: Values = inst.results.iter().map(|&r| self.zero(self.kernel.ty(r))).collect();
                    body.push(Inst::new(Op::Yield, zeros));
                    Some(Live::None)
                }
                End::Yields(values) => {
                    body.push(Inst::new(Op::Yield, values));
                    Some(inner.live)
                }
            };
            state.maybe_empty |= inner.maybe_empty && live.is_some();
            arms.push((body, live));
        }
        if arms.iter().any(|(_, live)| live.is_some_and(|l| l != state.live)) {
            let var = self.var("live", Type::vector(quadra_kir::Elem::Bool));
            for (body, live) in &mut arms {
                if let Some(live) = live {
                    let last = body.pop().expect("an arm has its terminator");
                    self.set(var, *live, body);
                    body.push(last);
                }
            }
            state.live = Live::Some(self.late(var));
            state.maybe_empty = true;
        }
        inst.regions = arms.into_iter().map(|(insts, _)| Block { params: Values::new(), insts }).collect();
        inst.results.iter().for_each(|&r| self.retype(r));
        out.push(inst);
        self.read_late(out);
    }
}
