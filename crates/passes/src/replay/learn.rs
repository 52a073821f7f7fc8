//! What a condition says of the values that it compares, and of what these are made of.

use super::{Bounds, Op, Replay, Value};

/// So far a bound is passed on to what a value is made of.
const STEPS: u32 = 6;

impl<'k> Replay<'k> {
    /// Learns that a condition holds here, or that it does not.
    pub(super) fn learn(&mut self, condition: Value, holds: bool) {
        self.learn_of(condition, holds, 16);
    }

    fn learn_of(&mut self, condition: Value, holds: bool, depth: u32) {
        let Some(&inst) = self.made.get(&condition) else { return };
        let args = &inst.args;
        match (inst.op, holds) {
            _ if depth == 0 => {}
            (Op::And, true) | (Op::Or, false) => args.iter().for_each(|&a| self.learn_of(a, holds, depth - 1)),
            (Op::Not, _) => self.learn_of(args[0], !holds, depth - 1),
            (Op::AndNot, true) => {
                self.learn_of(args[0], true, depth - 1);
                self.learn_of(args[1], false, depth - 1);
            }
            (op, _) if args.len() == 2 && self.bits(args[0]).is_some() => {
                let op = if holds { Some(op) } else { opposite(op) };
                if let Some(op) = op {
                    self.compare(op, args[0], args[1]);
                }
            }
            _ => {}
        }
    }

    fn compare(&mut self, op: Op, a: Value, b: Value) {
        let any = Bounds::signed(64);
        let (x, y) = (self.bounds(a), self.bounds(b));
        match op {
            Op::CmpGt | Op::CmpGe | Op::CmpGtU | Op::CmpGeU => self.compare(exchanged(op), b, a),
            Op::CmpLt | Op::CmpLe => {
                let by = i64::from(op == Op::CmpLt);
                self.less.push((a, b, by));
                self.suppose(a, Bounds { high: y.high.saturating_sub(by), ..any }, STEPS);
                self.suppose(b, Bounds { low: x.low.saturating_add(by), ..any }, STEPS);
            }
            Op::CmpLtU | Op::CmpLeU => {
                let by = i64::from(op == Op::CmpLtU);
                // As unsigned, a negative number is greater than all others.
                if y.is_natural() {
                    self.less.push((a, b, by));
                    self.suppose(a, Bounds::new(0, y.high.saturating_sub(by)), STEPS);
                    self.suppose(b, Bounds { low: x.low.max(0).saturating_add(by), ..any }, STEPS);
                }
            }
            Op::CmpEq => {
                self.suppose(a, y, STEPS);
                self.suppose(b, x, STEPS);
            }
            Op::CmpNe => {
                self.differs(a, x, y);
                self.differs(b, y, x);
            }
            _ => {}
        }
    }

    /// A number that is not at one of its ends.
    fn differs(&mut self, v: Value, own: Bounds, other: Bounds) {
        let Some(c) = other.single() else { return };
        let low = if own.low == c { c.saturating_add(1) } else { own.low };
        let high = if own.high == c { c.saturating_sub(1) } else { own.high };
        self.suppose(v, Bounds { low, high }, STEPS);
    }

    /// A value lies within these bounds here.
    fn suppose(&mut self, v: Value, to: Bounds, steps: u32) {
        let Some(bits) = self.bits(v).filter(|_| self.kernel.as_const(v).is_none()) else { return };
        let before = self.bounds(v);
        let new = before.meet(to);
        if new == before {
            return;
        }
        let old = self.learnt.insert(v, new);
        self.undo.push((v, old));
        // What was computed before did not know it.
        if let Some(memo) = self.memo.last_mut() {
            memo.clear();
        }
        if let Some(&inst) = self.made.get(&v).filter(|_| steps > 0) {
            self.pass_on(inst.op, &inst.args, new, bits, steps - 1);
        }
    }

    /// Passes the bounds of an operation's result on to its operands.
    fn pass_on(&mut self, op: Op, args: &[Value], to: Bounds, bits: u32, steps: u32) {
        let &[a, b] = args else { return };
        if self.bits(a) != Some(bits) || self.bits(b) != Some(bits) {
            return;
        }
        let (x, y) = (self.bounds(a), self.bounds(b));
        // An operation that may wrap says nothing of its operands.
        let exact = |found: Bounds| found.low > i64::MIN && found.high < i64::MAX && found.fitting(bits).is_some();
        let any = Bounds::signed(64);
        match op {
            Op::Add if exact(x.plus(y)) => {
                self.suppose(a, to.minus(y), steps);
                self.suppose(b, to.minus(x), steps);
            }
            Op::Sub if exact(x.minus(y)) => {
                self.suppose(a, to.plus(y), steps);
                self.suppose(b, x.minus(to), steps);
            }
            Op::Mul if exact(x.times(y)) => {
                let factor = |c: Bounds| c.single().filter(|c| *c > 0);
                let divided = |c: i64| {
                    Bounds::new(to.low.div_euclid(c) + i64::from(to.low.rem_euclid(c) != 0), to.high.div_euclid(c))
                };
                if let Some(c) = factor(y) {
                    self.suppose(a, divided(c), steps);
                } else if let Some(c) = factor(x) {
                    self.suppose(b, divided(c), steps);
                }
            }
            Op::Min => [a, b].iter().for_each(|&v| self.suppose(v, Bounds { low: to.low, ..any }, steps)),
            Op::Max => [a, b].iter().for_each(|&v| self.suppose(v, Bounds { high: to.high, ..any }, steps)),
            _ => {}
        }
    }
}

/// The comparison that holds where this one does not.
fn opposite(op: Op) -> Option<Op> {
    Some(match op {
        Op::CmpEq => Op::CmpNe,
        Op::CmpNe => Op::CmpEq,
        Op::CmpLt => Op::CmpGe,
        Op::CmpLe => Op::CmpGt,
        Op::CmpGt => Op::CmpLe,
        Op::CmpGe => Op::CmpLt,
        Op::CmpLtU => Op::CmpGeU,
        Op::CmpLeU => Op::CmpGtU,
        Op::CmpGtU => Op::CmpLeU,
        Op::CmpGeU => Op::CmpLtU,
        _ => return None,
    })
}

/// The comparison with its operands exchanged.
fn exchanged(op: Op) -> Op {
    match op {
        Op::CmpGt => Op::CmpLt,
        Op::CmpGe => Op::CmpLe,
        Op::CmpGtU => Op::CmpLtU,
        _ => Op::CmpLeU,
    }
}
