//! Floats: what a driver computes exactly where it may not contract, and nothing else. A driver's own exponentials,
//! logarithms and trigonometric functions differ from each other, so none of them is used (`elementary` has the project's).

use super::{Cx, Expr};
use naga::{BinaryOperator as B, Expression, Literal, MathFunction as M, ScalarKind};
use quadra_kir::{Elem, Op};

/// A half.
const HALF: f64 = 0.5;
/// The sign of a number of 32 bits.
const SIGN: u32 = 1 << 31;

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
                let wide = self.to_double(a);
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
        let [a, b] = [a, b].map(|e| self.to_double(e));
        let wide = self.binary(B::Divide, a, b);
        self.to_single(wide)
    }

    /// The square root, 0 of a negative.
    pub(super) fn root(&mut self, elem: Elem, a: Expr) -> Expr {
        let zero = self.real(elem, 0.0);
        let negative = self.binary(B::Less, a, zero);
        let inside = self.select(negative, zero, a);
        if !self.widens(elem) {
            return self.math(M::Sqrt, inside);
        }
        let wide = self.to_double(inside);
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
        match (from, op) {
            (Elem::F64, Op::ToF32) => return self.to_single(a),
            (Elem::F32, Op::ToF64) => return self.to_double(a),
            _ => {}
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

    /// A number of 64 bits as the nearest one of 32.
    pub(super) fn to_single(&mut self, wide: Expr) -> Expr {
        let plain = self.convert(wide, ScalarKind::Float, 4);
        if self.target.resizes {
            return plain;
        }
        // What is added to a number so large is rounded to a multiple of the least one of 32 bits, of which so many are its bits.
        let [zero, normal, large, least] =
            [0.0, HALF.powi(126), 1.5 * 2_f64.powi(52 - 149), 2_f64.powi(149)].map(|x| self.real(Elem::F64, x));
        let size = self.math(M::Abs, wide);
        let small = self.binary(B::Less, size, normal);
        let size = self.select(small, size, zero);
        let (up, bits) = (self.binary(B::Add, size, large), self.bits(plain, ScalarKind::Uint));
        let rounded = self.binary(B::Subtract, up, large);
        let many = self.binary(B::Multiply, rounded, least);
        let (many, sign) = (self.convert(many, ScalarKind::Uint, 4), self.u32(SIGN));
        let sign = self.binary(B::And, bits, sign);
        let bits = self.binary(B::InclusiveOr, many, sign);
        let exact = self.bits(bits, ScalarKind::Float);
        self.select(small, exact, plain)
    }

    /// A number of 32 bits as one of 64.
    pub(super) fn to_double(&mut self, narrow: Expr) -> Expr {
        let plain = self.convert(narrow, ScalarKind::Float, 8);
        if self.target.resizes {
            return plain;
        }
        let bits = self.bits(narrow, ScalarKind::Uint);
        let [sign, fraction, one, normal] = [SIGN, SIGN - 1, 1, 1 << 23].map(|word| self.u32(word));
        let many = self.binary(B::And, bits, fraction);
        // 0 keeps its sign.
        let less = self.binary(B::Subtract, many, one);
        let normal = self.binary(B::Subtract, normal, one);
        let small = self.binary(B::Less, less, normal);
        let many = self.convert(many, ScalarKind::Float, 8);
        let [least, minus] = [HALF.powi(149), -HALF.powi(149)].map(|x| self.real(Elem::F64, x));
        let negative = self.binary(B::GreaterEqual, bits, sign);
        let least = self.select(negative, minus, least);
        let exact = self.binary(B::Multiply, many, least);
        self.select(small, exact, plain)
    }
}
