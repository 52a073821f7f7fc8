//! Identities of 32-bit integers.

use super::Fold;
use quadra_kir::{Inst, Op, Value, Values};

impl Fold<'_> {
    /// A value that equals the operation's, or a cheaper operation in its place. Constants stand on the right.
    pub(super) fn integer(&mut self, inst: &mut Inst, out: &mut Vec<Inst>) -> Option<Value> {
        let a = inst.args[0];
        let b = *inst.args.get(1)?;
        if a == b
            && let Some(v) = self.same(inst.op, a)
        {
            return Some(v);
        }
        let Some(c) = self.kernel.as_i32(b) else { return self.constant_first(inst, a, b) };
        match (inst.op, c) {
            (Op::Add | Op::Sub | Op::Or | Op::Xor | Op::Shl | Op::Shr | Op::Asr | Op::Ror, 0) => return Some(a),
            (Op::Shl | Op::Shr | Op::Asr | Op::Ror, _) if c & 31 == 0 => return Some(a),
            (Op::And | Op::MinU, -1) | (Op::AndNot | Op::MaxU, 0) => return Some(a),
            (Op::And | Op::Mul | Op::Mul24 | Op::MinU, 0) | (Op::AndNot | Op::Or | Op::MaxU, -1) => {
                return Some(if matches!(inst.op, Op::Or | Op::MaxU) { b } else { self.int(0) });
            }
            (Op::Xor, -1) => return Some(self.op(Op::Not, &[a], out, inst.span)),
            (Op::Mul | Op::Div, 1) => return Some(a),
            (Op::Mul, -1) => return Some(self.op(Op::Neg, &[a], out, inst.span)),
            (Op::Div | Op::Rem | Op::Mod, 0) | (Op::Rem | Op::Mod, 1 | -1) => return Some(self.int(0)),
            (Op::Min | Op::CmpGe | Op::CmpLt, i32::MIN) => return self.at_minimum(inst.op, b),
            (Op::Max | Op::CmpLe | Op::CmpGt, i32::MAX) => return self.at_maximum(inst.op, b),
            _ => {}
        }
        self.by_power(inst, a, c, out).or_else(|| self.chain(inst))
    }

    fn at_minimum(&mut self, op: Op, minimum: Value) -> Option<Value> {
        Some(match op {
            Op::Min => minimum,
            op => self.truth(op == Op::CmpGe),
        })
    }

    fn at_maximum(&mut self, op: Op, maximum: Value) -> Option<Value> {
        Some(match op {
            Op::Max => maximum,
            op => self.truth(op == Op::CmpLe),
        })
    }

    /// Both operands are one value.
    fn same(&mut self, op: Op, a: Value) -> Option<Value> {
        Some(match op {
            Op::Sub | Op::Xor | Op::AndNot | Op::Rem | Op::Mod => self.int(0),
            Op::And | Op::Or | Op::Min | Op::Max | Op::MinU | Op::MaxU => a,
            Op::CmpEq | Op::CmpLe | Op::CmpGe | Op::CmpLeU | Op::CmpGeU => self.truth(true),
            Op::CmpNe | Op::CmpLt | Op::CmpGt | Op::CmpLtU | Op::CmpGtU => self.truth(false),
            _ => return None,
        })
    }

    /// The first operand may be a constant where the order matters.
    fn constant_first(&mut self, inst: &mut Inst, a: Value, b: Value) -> Option<Value> {
        let c = self.kernel.as_i32(a)?;
        match (inst.op, c) {
            (Op::Shl | Op::Shr | Op::Asr | Op::Ror | Op::Div | Op::Rem | Op::Mod | Op::AndNot, 0) => Some(self.int(0)),
            (Op::Asr | Op::Ror, -1) => Some(a),
            (Op::Min | Op::Max, _) => {
                inst.args.swap(0, 1);
                None
            }
            (Op::CmpLt | Op::CmpLe | Op::CmpGt | Op::CmpGe, _) => {
                inst.args = Values::from_slice(&[b, a]);
                inst.op = swapped(inst.op);
                None
            }
            _ => None,
        }
    }

    /// Products and quotients by powers of two, and x - c, which shares its form with x + c.
    fn by_power(&mut self, inst: &mut Inst, a: Value, c: i32, out: &mut Vec<Inst>) -> Option<Value> {
        let power = (c > 0 && c & (c - 1) == 0).then(|| c.trailing_zeros() as i32);
        match (inst.op, power) {
            (Op::Mul, Some(k)) => {
                inst.op = Op::Shl;
                inst.args[1] = self.int(k);
                None
            }
            (Op::Mod, Some(_)) => {
                inst.op = Op::And;
                inst.args[1] = self.int(c - 1);
                None
            }
            (Op::Div, Some(k)) => {
                let biased = self.biased(a, k, out, inst);
                let k = self.int(k);
                Some(self.op(Op::Asr, &[biased, k], out, inst.span))
            }
            (Op::Rem, Some(k)) => {
                let biased = self.biased(a, k, out, inst);
                let low = self.int(c - 1);
                let whole = self.op(Op::AndNot, &[biased, low], out, inst.span);
                Some(self.op(Op::Sub, &[a, whole], out, inst.span))
            }
            (Op::Sub, _) => {
                inst.op = Op::Add;
                inst.args[1] = self.int(c.wrapping_neg());
                None
            }
            _ => None,
        }
    }

    /// a, plus 2^k - 1 if it is negative, so that a shift rounds toward zero.
    fn biased(&mut self, a: Value, k: i32, out: &mut Vec<Inst>, at: &Inst) -> Value {
        let (sign, rest) = (self.int(31), self.int(32 - k));
        let negative = self.op(Op::Asr, &[a, sign], out, at.span);
        let bias = self.op(Op::Shr, &[negative, rest], out, at.span);
        self.op(Op::Add, &[a, bias], out, at.span)
    }

    /// Two operations with constants in a row become one.
    fn chain(&mut self, inst: &mut Inst) -> Option<Value> {
        // The operation may have changed since its operands were looked at.
        let &[a, c] = inst.args.as_slice() else { return None };
        let c = self.kernel.as_i32(c)?;
        let (inner, args) = self.defs.get(&a)?;
        let &[x, d] = args.as_slice() else { return None };
        let (inner, d) = (*inner, self.kernel.as_i32(d)?);
        let joined = match (inner, inst.op) {
            (Op::Add, Op::Add) => d.wrapping_add(c),
            (Op::And, Op::And) => d & c,
            (Op::Or, Op::Or) => d | c,
            (Op::Xor, Op::Xor) => d ^ c,
            (Op::Shl, Op::Shl) if (c & 31) + (d & 31) < 32 => (c & 31) + (d & 31),
            (Op::Shr, Op::Shr) if (c & 31) + (d & 31) < 32 => (c & 31) + (d & 31),
            (Op::Asr, Op::Asr) => ((c & 31) + (d & 31)).min(31),
            (Op::Min, Op::Min) => d.min(c),
            (Op::Max, Op::Max) => d.max(c),
            _ => return None,
        };
        inst.args = Values::from_slice(&[x, self.int(joined)]);
        if joined == 0 && matches!(inst.op, Op::Add | Op::Xor) {
            return Some(x);
        }
        None
    }
}

/// The comparison with its operands exchanged.
fn swapped(op: Op) -> Op {
    match op {
        Op::CmpLt => Op::CmpGt,
        Op::CmpLe => Op::CmpGe,
        Op::CmpGt => Op::CmpLt,
        Op::CmpGe => Op::CmpLe,
        other => other,
    }
}
