//! Identities of truth values and of `select`.

use super::Fold;
use quadra_kir::{Const, Elem, Inst, Op, Value, Values};

impl Fold<'_> {
    pub(super) fn truth(&mut self, value: bool) -> Value {
        self.kernel.constant(Const::bool(value))
    }

    fn as_bool(&self, v: Value) -> Option<bool> {
        self.kernel.as_const(v).and_then(Const::as_bool)
    }

    /// Operations whose first operand is a `bool`. Constants stand on the right where the order does not matter.
    pub(super) fn boolean(&mut self, inst: &mut Inst, out: &mut Vec<Inst>) -> Option<Value> {
        let a = inst.args[0];
        match inst.op {
            Op::Not => return self.negated(inst, a),
            Op::VoteAny | Op::VoteAll => return self.vote(inst, a),
            _ => {}
        }
        let b = *inst.args.get(1)?;
        if a == b {
            match inst.op {
                Op::And | Op::Or => return Some(a),
                Op::Xor | Op::AndNot | Op::CmpNe => return Some(self.truth(false)),
                Op::CmpEq => return Some(self.truth(true)),
                _ => {}
            }
        }
        if let Some(v) = self.absorbed(inst.op, a, b) {
            return Some(v);
        }
        let not = |f: &mut Self, v, out: &mut Vec<Inst>| f.op(Op::Not, &[v], out, inst.span);
        match (inst.op, self.as_bool(a), self.as_bool(b)) {
            (Op::And, _, Some(true)) | (Op::Or | Op::AndNot | Op::Xor | Op::CmpNe, _, Some(false)) => Some(a),
            (Op::CmpEq, _, Some(true)) => Some(a),
            (Op::And, _, Some(false)) | (Op::AndNot, _, Some(true)) | (Op::AndNot, Some(false), _) => {
                Some(self.truth(false))
            }
            (Op::Or, _, Some(true)) => Some(b),
            (Op::Xor | Op::CmpNe, _, Some(true)) | (Op::CmpEq, _, Some(false)) => Some(not(self, a, out)),
            (Op::AndNot, Some(true), _) => Some(not(self, b, out)),
            _ => self.without_not(inst, a, b),
        }
    }

    /// and(and(x, y), x) and the like: what one operand implies already.
    fn absorbed(&mut self, op: Op, a: Value, b: Value) -> Option<Value> {
        let has = |f: &Self, v: Value, inner: Op, part: Value| {
            f.defs.get(&v).is_some_and(|(op, args)| *op == inner && args.contains(&part))
        };
        match op {
            Op::And if has(self, a, Op::And, b) => Some(a),
            Op::And if has(self, b, Op::And, a) => Some(b),
            Op::And if has(self, a, Op::Or, b) => Some(b),
            Op::And if has(self, b, Op::Or, a) => Some(a),
            Op::Or if has(self, a, Op::And, b) => Some(b),
            Op::Or if has(self, b, Op::And, a) => Some(a),
            _ => None,
        }
    }

    /// and(x, not y) is andnot(x, y), andnot(x, not y) is and(x, y).
    fn without_not(&mut self, inst: &mut Inst, a: Value, b: Value) -> Option<Value> {
        let inner = |f: &Self, v: Value| match f.defs.get(&v) {
            Some((Op::Not, args)) => Some(args[0]),
            _ => None,
        };
        match (inst.op, inner(self, a), inner(self, b)) {
            (Op::And, _, Some(y)) => (inst.op, inst.args) = (Op::AndNot, Values::from_slice(&[a, y])),
            (Op::And, Some(x), None) => (inst.op, inst.args) = (Op::AndNot, Values::from_slice(&[b, x])),
            (Op::AndNot, _, Some(y)) => (inst.op, inst.args) = (Op::And, Values::from_slice(&[a, y])),
            _ => {}
        }
        None
    }

    fn negated(&mut self, inst: &mut Inst, a: Value) -> Option<Value> {
        let (op, args) = self.defs.get(&a)?.clone();
        if op == Op::Not {
            return Some(args[0]);
        }
        let integers = self.kernel.ty(args[0]).elem != Elem::F32 && self.kernel.ty(args[0]).elem != Elem::F64;
        let opposite = match op {
            Op::CmpEq => Op::CmpNe,
            Op::CmpNe => Op::CmpEq,
            // With a NaN both a < b and a >= b are false.
            Op::CmpLt if integers => Op::CmpGe,
            Op::CmpLe if integers => Op::CmpGt,
            Op::CmpGt if integers => Op::CmpLe,
            Op::CmpGe if integers => Op::CmpLt,
            Op::CmpLtU => Op::CmpGeU,
            Op::CmpLeU => Op::CmpGtU,
            Op::CmpGtU => Op::CmpLeU,
            Op::CmpGeU => Op::CmpLtU,
            _ => return None,
        };
        (inst.op, inst.args) = (opposite, args);
        None
    }

    fn vote(&mut self, inst: &Inst, a: Value) -> Option<Value> {
        match (inst.op, self.as_bool(a)) {
            (Op::VoteAny, Some(false)) => Some(a),
            (Op::VoteAll, Some(true)) => Some(a),
            // Without a mask at SIMD level all lanes vote.
            (_, Some(_)) if self.kernel.level == quadra_kir::Level::Simd && inst.mask.is_none() => Some(a),
            _ => None,
        }
    }

    pub(super) fn select(&mut self, inst: &mut Inst, out: &mut Vec<Inst>) -> Option<Value> {
        let [c, a, b] = inst.args[..] else { return None };
        if a == b {
            return Some(a);
        }
        if let Some(c) = self.as_bool(c) {
            return Some(if c { a } else { b });
        }
        if let Some((Op::Not, args)) = self.defs.get(&c) {
            inst.args = Values::from_slice(&[args[0], b, a]);
            return self.select(inst, out);
        }
        // A select in an arm with the same condition has been decided.
        for (arm, keep) in [(1, 1), (2, 2)] {
            if let Some((Op::Select, args)) = self.defs.get(&inst.args[arm])
                && args[0] == c
            {
                inst.args[arm] = args[keep];
                return self.select(inst, out);
            }
        }
        if self.kernel.ty(a).elem != Elem::Bool {
            return None;
        }
        let span = inst.span;
        // In the arm of a condition that is itself a result, it is known.
        if b == c {
            return Some(self.op(Op::And, &[c, a], out, span));
        }
        if a == c {
            return Some(self.op(Op::Or, &[c, b], out, span));
        }
        match (self.as_bool(a), self.as_bool(b)) {
            (Some(true), Some(false)) => Some(c),
            (Some(false), Some(true)) => Some(self.op(Op::Not, &[c], out, span)),
            (Some(true), _) => Some(self.op(Op::Or, &[c, b], out, span)),
            (Some(false), _) => Some(self.op(Op::AndNot, &[b, c], out, span)),
            (_, Some(false)) => Some(self.op(Op::And, &[c, a], out, span)),
            (_, Some(true)) => {
                let not = self.op(Op::Not, &[c], out, span);
                Some(self.op(Op::Or, &[not, a], out, span))
            }
            _ => None,
        }
    }
}
