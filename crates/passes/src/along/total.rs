//! Totals of the lanes.

use super::emit::Emit;
use quadra_base::Span;
use quadra_kir::{Block, Const, Elem, Inst, LANES, Op, Type, Value, Values};

impl Emit {
    /// What a loop gives that began with `begin`, and whose lanes made `lanes` of it.
    pub(super) fn whole_total(
        &mut self,
        op: Op,
        begin: Value,
        lanes: Value,
        out: &mut Vec<Inst>,
        span: Option<Span>,
    ) -> Value {
        if !self.kernel.ty(lanes).lanes {
            // There was no turn.
            return begin;
        }
        let total = self.total(op, lanes, out);
        match op {
            Op::Add | Op::Mul | Op::Xor => self.op(op, &[begin, total], out, span),
            _ => total,
        }
    }

    /// The total of all lanes: each with the one 8 lanes away, then 4, 2 and 1.
    pub(super) fn total(&mut self, op: Op, lanes: Value, out: &mut Vec<Inst>) -> Value {
        let ty = self.kernel.ty(lanes);
        if !ty.lanes && !matches!(op, Op::Add | Op::Mul | Op::Xor) {
            return lanes;
        }
        if ty.elem == Elem::Bool && matches!(op, Op::And | Op::Or) {
            return self.op(if op == Op::Or { Op::VoteAny } else { Op::VoteAll }, &[lanes], out, None);
        }
        let (mut all, mut away) = (lanes, LANES as i32 / 2);
        while away > 0 {
            let by = self.kernel.const_i32(away);
            let other = self.op(Op::Rotate, &[all, by], out, None);
            // In this order a maximum keeps the former of equal numbers, as a minimum does.
            let args = if op == Op::Max { [other, all] } else { [all, other] };
            all = self.op(op, &args, out, None);
            away /= 2;
        }
        let zero = self.kernel.const_i32(0);
        self.op(Op::Broadcast, &[all, zero], out, None)
    }

    /// The minimum or maximum of a loop, carried value `n`, which is `total` but perhaps for the sign of a zero: of several zeros it is
    /// the first one. Where lanes end with zeros of both signs, the turns are gone through in their order.
    pub(super) fn first_zero(
        &mut self,
        inst: &Inst,
        n: usize,
        total: Value,
        lanes: Value,
        out: &mut Vec<Inst>,
    ) -> Value {
        let ty = self.kernel.ty(total);
        if ty.lanes || !self.kernel.ty(lanes).lanes {
            return total;
        }
        let zero = self.kernel.constant(Const::zero(ty.elem));
        let is_zero = self.op(Op::CmpEq, &[total, zero], out, inst.span);
        let mut inner = Vec::new();
        let zeros = self.op(Op::CmpEq, &[lanes, zero], &mut inner, inst.span);
        let inverse = self.op(Op::Recip, &[lanes], &mut inner, inst.span);
        let below = self.op(Op::CmpLt, &[inverse, zero], &mut inner, inst.span);
        let negative = self.op(Op::And, &[zeros, below], &mut inner, inst.span);
        let positive = self.op(Op::AndNot, &[zeros, below], &mut inner, inst.span);
        let any = [negative, positive].map(|v| self.op(Op::VoteAny, &[v], &mut inner, inst.span));
        let both = self.op(Op::And, &any, &mut inner, inst.span);
        let mut again = Vec::new();
        let exact = self.in_order(inst, n, &mut again);
        let exact = self.chosen(both, (again, exact), total, ty, &mut inner, inst);
        self.chosen(is_zero, (inner, exact), total, ty, out, inst)
    }

    /// What `then` gives if a condition holds, otherwise `other`.
    fn chosen(
        &mut self,
        cond: Value,
        (mut then, value): (Vec<Inst>, Value),
        other: Value,
        ty: Type,
        out: &mut Vec<Inst>,
        at: &Inst,
    ) -> Value {
        then.push(Inst::new(Op::Yield, [value]).at(at.span));
        let no = vec![Inst::new(Op::Yield, [other]).at(at.span)];
        let mut branch = Inst::new(Op::If, [cond]).at(at.span);
        branch.regions = [then, no].map(|insts| Block { params: Values::new(), insts }).into();
        let result = self.kernel.new_value(ty);
        branch.results = Values::from_slice(&[result]);
        out.push(branch);
        result
    }

    /// The loop as it was, for one of its results; as a loop that nobody unfolds.
    fn in_order(&mut self, inst: &Inst, n: usize, out: &mut Vec<Inst>) -> Value {
        let body = &inst.regions[0];
        let args: Vec<Value> = inst.args.iter().map(|&v| self.at(v)).collect();
        let fresh = |e: &mut Emit, v: Value| e.kernel.new_value(e.kernel.ty(v));
        let params: Values = body.params.iter().map(|&p| fresh(self, p)).collect();
        let mut insts = Vec::new();
        let more = self.op(Op::CmpLt, &[params[0], args[1]], &mut insts, inst.span);
        let region = |op, args: Values| Block { params: Values::new(), insts: vec![Inst::new(op, args).at(inst.span)] };
        let mut test = Inst::new(Op::If, [more]).at(inst.span);
        test.regions = vec![region(Op::Yield, Values::new()), region(Op::Break, Values::from_slice(&[params[1 + n]]))];
        insts.push(test);
        let mut map = self.map.clone();
        map.extend(body.params.iter().copied().zip(params.iter().copied()));
        let insts_of = self.without_stores(&body.insts);
        insts.extend(crate::unroll::copy(&mut self.kernel, &insts_of, &mut map));
        let yielded = insts.pop().map_or(Values::new(), |end| end.args);
        let one = self.kernel.const_i32(1);
        let next = self.op(Op::Add, &[params[0], one], &mut insts, inst.span);
        insts.push(Inst::new(Op::Continue, std::iter::once(next).chain(yielded)).at(inst.span));
        let mut turns = Inst::new(Op::Loop, std::iter::once(args[0]).chain(args[3..].iter().copied())).at(inst.span);
        let result = self.kernel.new_value(self.kernel.ty(params[1 + n]));
        turns.results = Values::from_slice(&[result]);
        turns.regions = vec![Block { params, insts }];
        out.push(turns);
        result
    }

    /// A body that has no effect: what it stores and asserts has been stored and asserted.
    fn without_stores(&self, insts: &[Inst]) -> Vec<Inst> {
        let keep = |i: &&Inst| !matches!(i.op, Op::Store | Op::Assert);
        let inner = |i: &Inst| {
            let mut new = i.clone();
            for region in &mut new.regions {
                region.insts = self.without_stores(&region.insts);
            }
            new
        };
        insts.iter().filter(keep).map(inner).collect()
    }
}
