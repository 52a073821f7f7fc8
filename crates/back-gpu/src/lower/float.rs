//! Floats: what a driver computes exactly where it may not contract, and nothing else. A driver's own exponentials,
//! logarithms and trigonometric functions differ from each other, so none of them is used (`elementary` has the project's).

use super::{Cx, Expr};
use naga::{BinaryOperator as B, Expression, Literal, MathFunction as M, ScalarKind};
use quadra_kir::{Elem, Op};

impl Cx<'_> {
    /// An operation on floats; `None` for those that a shader would round otherwise than the interpreter does.
    pub(super) fn float(&mut self, op: Op, elem: Elem, args: &[Expr]) -> Option<Expr> {
        let [a, b] = [args[0], *args.get(1).unwrap_or(&args[0])];
        let [a, b] = self.hidden(op, elem, [a, b]);
        Some(match op {
            Op::Add => self.binary(B::Add, a, b),
            Op::Sub => self.binary(B::Subtract, a, b),
            Op::Mul => self.binary(B::Multiply, a, b),
            Op::Div => self.quotient(elem, a, b),
            Op::Neg => {
                // Drivers make a change of sign of 0 - a, which differs where a is 0.
                let zero = self.real(elem, 0.0);
                let minus = self.binary(B::Subtract, zero, a);
                let none = self.binary(B::Equal, a, zero);
                self.select(none, zero, minus)
            }
            // Shaders have none that holds of what is no number.
            Op::CmpNe => {
                let equal = self.binary(B::Equal, a, b);
                self.not(equal)
            }
            Op::Recip => {
                let one = self.real(elem, 1.0);
                self.quotient(elem, one, a)
            }
            Op::Min | Op::Max => {
                let greater = self.binary(B::Greater, a, b);
                let (yes, no) = if op == Op::Min { (b, a) } else { (a, b) };
                self.select(greater, yes, no)
            }
            Op::Abs => self.math(M::Abs, a),
            Op::Floor => self.math(M::Floor, a),
            Op::Ceil => self.math(M::Ceil, a),
            Op::Trunc => self.math(M::Trunc, a),
            Op::Round => self.round(elem, a),
            Op::Sqrt => self.root(elem, a),
            Op::Rsqrt if elem == Elem::F64 => {
                let (root, one) = (self.root(elem, a), self.real(elem, 1.0));
                self.binary(B::Divide, one, root)
            }
            // The interpreter rounds once, from double precision.
            Op::Rsqrt if self.target.float64 => {
                let wide = self.convert(a, ScalarKind::Float, 8);
                let (root, one) = (self.root(Elem::F64, wide), self.real(Elem::F64, 1.0));
                let value = self.binary(B::Divide, one, root);
                self.convert(value, ScalarKind::Float, 4)
            }
            _ => return self.elementary(op, elem, a, b).or_else(|| self.compare(op, a, b)),
        })
    }

    /// The operands of an operation, of which llvmpipe knows no more than of others: it computes 0 · x, 0 / x and x - x without a look
    /// at x, which may be infinite or no number.
    fn hidden(&mut self, op: Op, elem: Elem, args: [Expr; 2]) -> [Expr; 2] {
        let Some(zero) = self.zero else { return args };
        let known = args.map(|e| match self.f.expressions[e] {
            Expression::Literal(Literal::F32(x)) => x == 0.0,
            Expression::Literal(Literal::F64(x)) => x == 0.0,
            _ => false,
        });
        let hides = match op {
            Op::Mul | Op::Div => known,
            Op::Sub => [false, args[0] == args[1]],
            _ => return args,
        };
        let [first, second] = [(args[0], hides[0]), (args[1], hides[1])].map(|(e, hides)| {
            if !hides {
                return e;
            }
            let nothing = if elem == Elem::F64 { self.convert(zero, ScalarKind::Uint, 8) } else { zero };
            let bits = self.bits(e, ScalarKind::Uint);
            let same = self.binary(B::ExclusiveOr, bits, nothing);
            self.bits(same, ScalarKind::Float)
        });
        [first, second]
    }

    fn real(&mut self, elem: Elem, value: f64) -> Expr {
        let literal = if elem == Elem::F64 { Literal::F64(value) } else { Literal::F32(value as f32) };
        self.pre(Expression::Literal(literal))
    }

    /// The nearest whole number, halves away from zero.
    fn round(&mut self, elem: Elem, a: Expr) -> Expr {
        let whole = self.math(M::Trunc, a);
        let rest = self.binary(B::Subtract, a, whole);
        let rest = self.math(M::Abs, rest);
        let [zero, half, one] = [0.0, 0.5, 1.0].map(|x| self.real(elem, x));
        let away = self.binary(B::GreaterEqual, rest, half);
        let (up, down) = (self.binary(B::Add, whole, one), self.binary(B::Subtract, whole, one));
        let below = self.binary(B::Less, a, zero);
        let further = self.select(below, down, up);
        self.select(away, further, whole)
    }

    /// Whether quotients and roots are computed in double precision: those of single numbers are so far from the middle between
    /// two that a double which is off by a few units in its last place rounds to the right one.
    fn widens(&self, elem: Elem) -> bool {
        elem == Elem::F32 && !self.target.rounds && self.target.float64
    }

    pub(super) fn quotient(&mut self, elem: Elem, a: Expr, b: Expr) -> Expr {
        if !self.widens(elem) {
            return self.binary(B::Divide, a, b);
        }
        let [a, b] = [a, b].map(|e| self.convert(e, ScalarKind::Float, 8));
        let wide = self.binary(B::Divide, a, b);
        self.convert(wide, ScalarKind::Float, 4)
    }

    /// The square root, 0 of a negative.
    pub(super) fn root(&mut self, elem: Elem, a: Expr) -> Expr {
        let zero = self.real(elem, 0.0);
        let negative = self.binary(B::Less, a, zero);
        let inside = self.select(negative, zero, a);
        if !self.widens(elem) {
            return self.math(M::Sqrt, inside);
        }
        let wide = self.convert(inside, ScalarKind::Float, 8);
        let root = self.math(M::Sqrt, wide);
        self.convert(root, ScalarKind::Float, 4)
    }

    /// From any type to any other. What no integer holds becomes 0.
    pub(super) fn conversion(&mut self, op: Op, from: Elem, a: Expr) -> Expr {
        let (kind, bytes) = match op {
            Op::ToI32 => (ScalarKind::Sint, 4),
            Op::ToI64 => (ScalarKind::Sint, 8),
            Op::ToF32 => (ScalarKind::Float, 4),
            _ => (ScalarKind::Float, 8),
        };
        if from == Elem::Bool && bytes == 8 {
            let small = self.convert(a, ScalarKind::Sint, 4);
            return self.convert(small, kind, bytes);
        }
        if !from.is_float() || kind == ScalarKind::Float || self.target.raw {
            return self.convert(a, kind, bytes);
        }
        let limit = self.real(from, if bytes == 4 { 2_147_483_648.0 } else { 9_223_372_036_854_775_808.0 });
        let size = self.math(M::Abs, a);
        let fits = self.binary(B::Less, size, limit);
        let zero = self.real(from, 0.0);
        let inside = self.select(fits, a, zero);
        self.convert(inside, kind, bytes)
    }
}
