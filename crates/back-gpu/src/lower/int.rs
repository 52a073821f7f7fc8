//! Integers and truth values. Integers have no sign of their own; shaders' have, so unsigned operations work on the bits.

use super::{Cx, Expr};
use naga::{BinaryOperator as B, Expression, Literal, MathFunction as M, ScalarKind, UnaryOperator};
use quadra_kir::{Elem, Op};

impl Cx<'_> {
    pub(super) fn logic(&mut self, op: Op, args: &[Expr]) -> Option<Expr> {
        let [a, b] = [args[0], *args.get(1).unwrap_or(&args[0])];
        Some(match op {
            Op::And => self.binary(B::LogicalAnd, a, b),
            Op::Or => self.binary(B::LogicalOr, a, b),
            Op::Xor | Op::CmpNe => self.binary(B::NotEqual, a, b),
            Op::CmpEq => self.binary(B::Equal, a, b),
            Op::Not => self.not(a),
            Op::AndNot => {
                let b = self.not(b);
                self.binary(B::LogicalAnd, a, b)
            }
            _ => return None,
        })
    }

    /// An operation on integers of 32 or 64 bits; `None` for those that shaders do not have.
    pub(super) fn int(&mut self, op: Op, elem: Elem, args: &[Expr]) -> Option<Expr> {
        let &a = args.first()?;
        let b = *args.get(1).unwrap_or(&a);
        let unsigned = |cx: &mut Self, op| {
            let (a, b) = (cx.bits(a, ScalarKind::Uint), cx.bits(b, ScalarKind::Uint));
            cx.binary(op, a, b)
        };
        Some(match op {
            Op::Add => self.binary(B::Add, a, b),
            Op::Sub => self.binary(B::Subtract, a, b),
            Op::Mul => self.binary(B::Multiply, a, b),
            Op::Div | Op::Rem | Op::Mod => self.divide(op, elem, a, b),
            Op::And => self.binary(B::And, a, b),
            Op::Or => self.binary(B::InclusiveOr, a, b),
            Op::Xor => self.binary(B::ExclusiveOr, a, b),
            Op::Not => self.complement(a),
            Op::AndNot => {
                let b = self.complement(b);
                self.binary(B::And, a, b)
            }
            Op::Neg => self.negative(elem, a),
            Op::Abs => {
                let (minus, zero) = (self.negative(elem, a), self.whole(elem, 0));
                let below = self.binary(B::Less, a, zero);
                self.select(below, minus, a)
            }
            Op::Min | Op::Max | Op::MinU | Op::MaxU => {
                let smaller = match op {
                    Op::Min | Op::Max => self.binary(B::Less, a, b),
                    _ => unsigned(self, B::Less),
                };
                let (yes, no) = if matches!(op, Op::Min | Op::MinU) { (a, b) } else { (b, a) };
                self.select(smaller, yes, no)
            }
            Op::Shl | Op::Shr | Op::Asr | Op::Ror => self.shift(op, elem, a, b),
            Op::Clz => self.leading_zeros(elem, a),
            Op::Popcount => self.ones(elem, a),
            Op::CmpLtU => unsigned(self, B::Less),
            Op::CmpLeU => unsigned(self, B::LessEqual),
            Op::CmpGtU => unsigned(self, B::Greater),
            Op::CmpGeU => unsigned(self, B::GreaterEqual),
            _ => return self.compare(op, a, b),
        })
    }

    /// A comparison of signed integers or of floats.
    pub(super) fn compare(&mut self, op: Op, a: Expr, b: Expr) -> Option<Expr> {
        let op = match op {
            Op::CmpEq => B::Equal,
            Op::CmpNe => B::NotEqual,
            Op::CmpLt => B::Less,
            Op::CmpLe => B::LessEqual,
            Op::CmpGt => B::Greater,
            Op::CmpGe => B::GreaterEqual,
            _ => return None,
        };
        Some(self.binary(op, a, b))
    }

    fn complement(&mut self, expr: Expr) -> Expr {
        self.emit(Expression::Unary { op: UnaryOperator::BitwiseNot, expr })
    }

    pub(super) fn whole(&mut self, elem: Elem, value: i64) -> Expr {
        let literal = if elem == Elem::I64 { Literal::I64(value) } else { Literal::I32(value as i32) };
        self.pre(Expression::Literal(literal))
    }

    fn negative(&mut self, elem: Elem, a: Expr) -> Expr {
        let zero = self.whole(elem, 0);
        self.binary(B::Subtract, zero, a)
    }

    /// Quotient and rests. Nothing is divided by 0 or -1, of which shaders do not say what they give; the rest of a
    /// negative number comes from its quotient, for the same reason.
    fn divide(&mut self, op: Op, elem: Elem, a: Expr, b: Expr) -> Expr {
        let [zero, one, minus] = [0, 1, -1].map(|n| self.whole(elem, n));
        let by_zero = self.binary(B::Equal, b, zero);
        let by_minus = self.binary(B::Equal, b, minus);
        let special = self.binary(B::LogicalOr, by_zero, by_minus);
        let divisor = self.select(special, one, b);
        let quotient = self.binary(B::Divide, a, divisor);
        if op == Op::Div {
            let negated = self.negative(elem, a);
            let quotient = self.select(by_minus, negated, quotient);
            return self.select(by_zero, zero, quotient);
        }
        let product = self.binary(B::Multiply, quotient, divisor);
        let rest = self.binary(B::Subtract, a, product);
        if op == Op::Rem {
            return rest;
        }
        let some = self.binary(B::NotEqual, rest, zero);
        let [below, negative] = [rest, b].map(|e| self.binary(B::Less, e, zero));
        let differ = self.binary(B::NotEqual, below, negative);
        let moves = self.binary(B::LogicalAnd, some, differ);
        let moved = self.binary(B::Add, rest, b);
        self.select(moves, moved, rest)
    }

    fn shift(&mut self, op: Op, elem: Elem, a: Expr, b: Expr) -> Expr {
        let width = elem.bytes() * 8;
        let count = self.convert(b, ScalarKind::Uint, 4);
        let mask = self.u32(width - 1);
        let count = self.binary(B::And, count, mask);
        match op {
            Op::Shl => self.binary(B::ShiftLeft, a, count),
            Op::Asr => self.binary(B::ShiftRight, a, count),
            _ => {
                let bits = self.bits(a, ScalarKind::Uint);
                let mut result = self.binary(B::ShiftRight, bits, count);
                if op == Op::Ror {
                    let width = self.u32(width);
                    let other = self.binary(B::Subtract, width, count);
                    let other = self.binary(B::And, other, mask);
                    let high = self.binary(B::ShiftLeft, bits, other);
                    result = self.binary(B::InclusiveOr, result, high);
                }
                self.bits(result, ScalarKind::Sint)
            }
        }
    }

    fn ones(&mut self, elem: Elem, a: Expr) -> Expr {
        let bits = self.bits(a, ScalarKind::Uint);
        if elem != Elem::I64 {
            let ones = self.math(M::CountOneBits, bits);
            return self.bits(ones, ScalarKind::Sint);
        }
        let width = self.u32(32);
        let high = self.binary(B::ShiftRight, bits, width);
        let [high, low] = [high, bits].map(|e| self.convert(e, ScalarKind::Uint, 4));
        let [high, low] = [high, low].map(|e| self.math(M::CountOneBits, e));
        let ones = self.binary(B::Add, high, low);
        self.convert(ones, ScalarKind::Sint, 8)
    }

    fn leading_zeros(&mut self, elem: Elem, a: Expr) -> Expr {
        let bits = self.bits(a, ScalarKind::Uint);
        if elem != Elem::I64 {
            let zeros = self.math(M::CountLeadingZeros, bits);
            return self.bits(zeros, ScalarKind::Sint);
        }
        let (width, zero) = (self.u32(32), self.u32(0));
        let high = self.binary(B::ShiftRight, bits, width);
        let [high, low] = [high, bits].map(|e| self.convert(e, ScalarKind::Uint, 4));
        let [above, below] = [high, low].map(|e| self.math(M::CountLeadingZeros, e));
        let below = self.binary(B::Add, below, width);
        let empty = self.binary(B::Equal, high, zero);
        let zeros = self.select(empty, below, above);
        self.convert(zeros, ScalarKind::Sint, 8)
    }
}
