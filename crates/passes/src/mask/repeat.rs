//! Loops.

use super::{End, Frame, Live, Mask, State};
use quadra_kir::{Block, Elem, Inst, Op, Type, Value, Values};

impl Mask<'_> {
    pub(super) fn repeat(&mut self, inst: Inst, out: &mut Vec<Inst>, state: &mut State) {
        let has_return = inst.regions[0].any(&mut |i| i.op == Op::Return);
        // A `return` below a divergent branch is a change of masks, also where a loop's own lanes go together.
        let divergent = self.variance.is_divergent_loop(&inst) || has_return && state.divergent;
        // A loop that only dead lanes would enter might never end.
        let guarded = state.maybe_empty && !(divergent && inst.op == Op::For);
        let outer = *state;
        let results = inst.results.clone();
        let mut body = Vec::new();
        if guarded {
            state.maybe_empty = false;
        }
        let target = if guarded { &mut body } else { &mut *out };
        match (divergent, inst.op) {
            (false, _) => self.uniform_loop(inst, target, state),
            (true, Op::For) => self.divergent_for(inst, target, state),
            (true, _) => self.divergent_loop(inst, target, state),
        }
        if guarded {
            let yields: Values = results.iter().map(|&r| self.at(r)).collect();
            let values = self.guard(outer.live, body, &yields, out);
            self.map.extend(results.into_iter().zip(values));
        }
        state.live = outer.live;
        state.maybe_empty = outer.maybe_empty;
        if divergent && has_return {
            let alive = self.alive.expect("`enter` has seen the return");
            let alive = self.get(alive, out);
            state.live = self.and(outer.live, alive, out);
            state.maybe_empty = true;
        }
    }

    /// All live lanes leave together: the loop stays as it is.
    fn uniform_loop(&mut self, mut inst: Inst, out: &mut Vec<Inst>, state: &State) {
        inst.args = self.all_at(&inst.args);
        let region = inst.regions.pop().unwrap_or_default();
        region.params.iter().chain(&inst.results).for_each(|&v| self.retype(v));
        let params = region.params.clone();
        let mut inner = State { frame: None, ..*state };
        let mut insts = Vec::new();
        if let End::Yields(values) = self.block(region, &mut insts, &mut inner) {
            insts.push(Inst::new(Op::Yield, values));
        }
        inst.regions = vec![Block { params, insts }];
        out.push(inst);
    }

    fn frame(&mut self, inst: &Inst, carried: &[Value], live: Live, out: &mut Vec<Inst>) -> Frame {
        let is_for = inst.op == Op::For;
        let live_var = self.var("live", Type::vector(Elem::Bool));
        self.set(live_var, live, out);
        let mut next = Vec::new();
        for (&p, &init) in carried.iter().zip(inst.carried()) {
            self.retype(p);
            let var = self.var(&self.kernel.values[p].name.clone(), self.kernel.ty(p));
            let init = self.at(init);
            self.set_value(var, init, out);
            next.push(var);
        }
        let mut results = Vec::new();
        for (j, &r) in inst.results.iter().enumerate() {
            self.retype(r);
            let ty = self.kernel.ty(r);
            // A `for` gives its carried values, unless lanes that share them leave it by `break` with values of their own.
            if is_for && self.kernel.vars[next[j]].ty == ty {
                results.push(next[j]);
                continue;
            }
            let var = self.var(&self.kernel.values[r].name.clone(), ty);
            let zero = self.zero(ty);
            self.set_value(var, zero, out);
            results.push(var);
        }
        let merge = is_for || inst.regions[0].exits(Op::Continue) > 1;
        Frame { live: live_var, results, next, merge }
    }

    /// Starts the body: carried values are read from their variables.
    fn read_carried(&mut self, f: usize, carried: &[Value], out: &mut Vec<Inst>) {
        for (j, &p) in carried.iter().enumerate() {
            let var = self.frames[f].next[j];
            let v = self.get(var, out);
            self.kernel.values[v].name = self.kernel.values[p].name.clone();
            self.map.insert(p, v);
        }
    }

    /// `loop (live, results, carried) { body; if any(live) {} else { break } }`.
    fn divergent_loop(&mut self, mut inst: Inst, out: &mut Vec<Inst>, state: &State) {
        let region = inst.regions.first().cloned().unwrap_or_default();
        let carried = region.params.clone();
        let frame = self.frame(&inst, &carried, state.live, out);
        self.frames.push(frame);
        let f = self.frames.len() - 1;
        let mut insts = Vec::new();
        self.read_carried(f, &carried, &mut insts);
        let live = self.get(self.frames[f].live, &mut insts);
        let mut inner = State { live: Live::Some(live), maybe_empty: false, divergent: true, frame: Some(f) };
        self.block(region, &mut insts, &mut inner);
        self.leave_unless_live(f, &mut insts);
        insts.push(Inst::new(Op::Continue, []));
        let frame = self.frames.pop().expect("the loop's own frame is the last");
        let results = std::mem::take(&mut inst.results);
        out.push(plain_loop(insts, inst.span));
        for (r, var) in results.into_iter().zip(frame.results) {
            let v = self.get(var, out);
            self.map.insert(r, v);
        }
    }

    /// `loop (live, i, carried) { live &= i < hi; if any(live) {} else { break }; body; i += step }`.
    fn divergent_for(&mut self, mut inst: Inst, out: &mut Vec<Inst>, state: &State) {
        let region = inst.regions.first().cloned().unwrap_or_default();
        let (iv, carried) = (region.params[0], region.params[1..].to_vec());
        let [lo, hi, step] = [self.at(inst.args[0]), self.at(inst.args[1]), self.at(inst.args[2])];
        self.retype(iv);
        let counter = self.var(&self.kernel.values[iv].name.clone(), self.kernel.ty(iv));
        self.set_value(counter, lo, out);
        let frame = self.frame(&inst, &carried, state.live, out);
        self.frames.push(frame);
        let f = self.frames.len() - 1;
        let mut insts = Vec::new();
        let i = self.get(counter, &mut insts);
        self.map.insert(iv, i);
        self.read_carried(f, &carried, &mut insts);
        let go = self.goes_on(i, hi, step, &mut insts);
        let live = self.get(self.frames[f].live, &mut insts);
        self.results_so_far(f, live, &mut insts);
        let live = self.op(Op::And, &[live, go], &mut insts, inst.span);
        self.set_value(self.frames[f].live, live, &mut insts);
        self.leave_unless_live(f, &mut insts);
        let mut inner = State { live: Live::Some(live), maybe_empty: false, divergent: true, frame: Some(f) };
        if let End::Yields(values) = self.block(region, &mut insts, &mut inner) {
            for (j, value) in values.into_iter().enumerate() {
                let var = self.frames[f].next[j];
                self.pass(var, value, inner.live, true, &mut insts);
            }
        }
        let next = self.op(Op::Add, &[i, step], &mut insts, inst.span);
        self.set_value(counter, next, &mut insts);
        insts.push(Inst::new(Op::Continue, []));
        let frame = self.frames.pop().expect("the loop's own frame is the last");
        let results = std::mem::take(&mut inst.results);
        out.push(plain_loop(insts, inst.span));
        for (r, var) in results.into_iter().zip(frame.results) {
            let v = self.get(var, out);
            self.map.insert(r, v);
        }
    }

    /// The live lanes may be at the end of a `for`: results that have variables of their own take the carried values.
    fn results_so_far(&mut self, f: usize, live: Value, out: &mut Vec<Inst>) {
        for j in 0..self.frames[f].results.len() {
            let (result, next) = (self.frames[f].results[j], self.frames[f].next[j]);
            if result != next {
                let value = self.get(next, out);
                self.pass(result, value, Live::Some(live), true, out);
            }
        }
    }

    /// Whether a `for` at `i` has another iteration: below `hi` for a positive step, above it for a negative one.
    fn goes_on(&mut self, i: Value, hi: Value, step: Value, out: &mut Vec<Inst>) -> Value {
        match self.kernel.as_i32(step) {
            Some(s) if s > 0 => return self.op(Op::CmpLt, &[i, hi], out, None),
            Some(s) if s < 0 => return self.op(Op::CmpGt, &[i, hi], out, None),
            _ => {}
        }
        let zero = self.kernel.const_i32(0);
        let up = self.op(Op::CmpGt, &[step, zero], out, None);
        let below = self.op(Op::CmpLt, &[i, hi], out, None);
        let up = self.op(Op::And, &[up, below], out, None);
        let down = self.op(Op::CmpLt, &[step, zero], out, None);
        let above = self.op(Op::CmpGt, &[i, hi], out, None);
        let down = self.op(Op::And, &[down, above], out, None);
        self.op(Op::Or, &[up, down], out, None)
    }

    fn leave_unless_live(&mut self, f: usize, out: &mut Vec<Inst>) {
        let live = self.get(self.frames[f].live, out);
        let any = self.op(Op::VoteAny, &[live], out, None);
        let mut inst = Inst::new(Op::If, [any]);
        let region = |op| Block { params: Values::new(), insts: vec![Inst::new(op, [])] };
        inst.regions = vec![region(Op::Yield), region(Op::Break)];
        out.push(inst);
    }
}

fn plain_loop(insts: Vec<Inst>, span: Option<quadra_base::Span>) -> Inst {
    let mut inst = Inst::new(Op::Loop, []).at(span);
    inst.regions = vec![Block { params: Values::new(), insts }];
    inst
}
