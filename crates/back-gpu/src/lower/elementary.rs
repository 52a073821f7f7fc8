//! Elementary functions as code: `kir::eval::elementary` defines them for numbers of which it only wants that they can be added,
//! compared and so on, and here these are expressions of a shader. So the results are the processor's, to the bit, wherever a
//! driver rounds single operations correctly.

use super::{Cx, Expr};
use crate::abi::MARK_FAULT;
use naga::{BinaryOperator as B, MathFunction as M, ScalarKind};
use quadra_kir::eval::elementary::{self, Format, Real, Truth, Word};
use quadra_kir::eval::exponential;
use quadra_kir::{Const, Elem, Op};
use std::cell::RefCell;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Sub};

/// A function being written.
struct Code<'c, 'k> {
    cx: RefCell<&'c mut Cx<'k>>,
}

/// One of its values: a float, an integer or a truth value.
#[derive(Clone, Copy)]
struct Term<'a, 'c, 'k> {
    code: &'a Code<'c, 'k>,
    expr: Expr,
    elem: Elem,
}

impl Cx<'_> {
    /// The function `op`; none if there is no definition for the type, or the target lacks the types that it takes.
    pub(super) fn elementary(&mut self, op: Op, elem: Elem, a: Expr, b: Expr) -> Option<Expr> {
        let wide = self.target.float64 && self.target.int64;
        if !wide && (elem == Elem::F64 || op == Op::Pow) {
            return None;
        }
        let code = Code { cx: RefCell::new(self) };
        let [x, y] = [a, b].map(|expr| Term { code: &code, expr, elem });
        let single = elem == Elem::F32;
        let result = match op {
            Op::Sin => elementary::sin(x),
            Op::Cos => elementary::cos(x),
            Op::Tan => elementary::tan(x),
            Op::Asin => elementary::asin(x),
            Op::Acos => elementary::acos(x),
            Op::Atan => elementary::atan(x),
            Op::Atan2 => elementary::atan2(x, y),
            Op::Sinh => elementary::sinh(x),
            Op::Cosh => elementary::cosh(x),
            Op::Tanh => elementary::tanh(x),
            Op::Log => elementary::log(x),
            Op::Log2 => elementary::log2(x),
            Op::Exp | Op::Exp2 if single => exponential(op == Op::Exp, x),
            Op::Exp => elementary::exp(x),
            Op::Exp2 => elementary::exp2(x),
            Op::Pow if single => elementary::pow(x, y),
            Op::Rem if single => elementary::remainder(x, y),
            Op::Mod if single => elementary::floor_remainder(x, y),
            _ => return None,
        };
        Some(result.expr)
    }
}

/// As `kir::eval::exponential` does it.
fn exponential<'a, 'c, 'k>(base_e: bool, x: Term<'a, 'c, 'k>) -> Term<'a, 'c, 'k> {
    let lit = |c: f32| Real::lit(x, f64::from(c));
    let (low, high) = if base_e { exponential::EXP_LIMITS } else { exponential::EXP2_LIMITS };
    let tame = Real::pick(lit(high).less(x), lit(high), x);
    let tame = Real::pick(tame.less(lit(low)), lit(low), tame);
    let scaled = if base_e { tame * lit(exponential::LOG2_E) } else { tame };
    let n = scaled.math(M::Round);
    let rest = if base_e {
        // A whole number is not -0 unless its negative makes no difference.
        let minus = lit(0.0) - n;
        minus.fused(lit(exponential::LN_2.1), minus.fused(lit(exponential::LN_2.0), tame))
    } else {
        tame - n
    };
    let factors: &[f32] = if base_e { &exponential::EXP } else { &exponential::EXP2 };
    let sum = factors[1..].iter().chain(&[1.0]).fold(lit(factors[0]), |sum, &c| sum.fused(rest, lit(c)));
    // No number comes out of no number, whatever it is multiplied by.
    let n = Real::pick(n.same(n), n, lit(0.0));
    if !x.has_doubles() {
        return sum.with(Elem::F32, |cx| {
            let n = cx.convert(n.expr, ScalarKind::Sint, 4);
            cx.scaled(sum.expr, n)
        });
    }
    let n = n.with(Elem::I64, |cx| cx.convert(n.expr, ScalarKind::Sint, 8));
    let power = (n + Word::lit(n, 1023)).left(52).real();
    x.narrow(sum.wide() * power)
}

impl<'a, 'c, 'k> Term<'a, 'c, 'k> {
    /// Another value of the same function.
    fn with(self, elem: Elem, f: impl FnOnce(&mut Cx<'k>) -> Expr) -> Self {
        let mut cx = self.code.cx.borrow_mut();
        let expr = f(&mut cx);
        Term { expr, elem, ..self }
    }

    fn has_doubles(self) -> bool {
        let cx = self.code.cx.borrow();
        cx.target.float64 && cx.target.int64
    }

    fn binary(self, op: B, other: Self) -> Self {
        self.with(self.elem, |cx| cx.binary(op, self.expr, other.expr))
    }

    fn compared(self, op: B, other: Self) -> Self {
        self.with(Elem::Bool, |cx| cx.binary(op, self.expr, other.expr))
    }

    fn math(self, function: M) -> Self {
        self.with(self.elem, |cx| cx.math(function, self.expr))
    }

    fn constant(self, bits: u64) -> Self {
        self.with(self.elem, |cx| cx.constant(Const { elem: self.elem, bits }))
    }

    /// Shifted by a constant, as a number of this kind.
    fn shifted(self, op: B, kind: ScalarKind, places: u32) -> Self {
        self.with(self.elem, |cx| {
            let (value, places) = (cx.bits(self.expr, kind), cx.u32(places));
            let shifted = cx.binary(op, value, places);
            cx.bits(shifted, ScalarKind::Sint)
        })
    }
}

macro_rules! operator {
    ($($trait:ident $function:ident $op:ident;)*) => {
        $(impl $trait for Term<'_, '_, '_> {
            type Output = Self;
            fn $function(self, other: Self) -> Self {
                self.binary(B::$op, other)
            }
        })*
    };
}
operator! {
    Add add Add;
    Sub sub Subtract;
    Mul mul Multiply;
    BitAnd bitand And;
    BitOr bitor InclusiveOr;
    BitXor bitxor ExclusiveOr;
}

impl Div for Term<'_, '_, '_> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        self.with(self.elem, |cx| cx.quotient(self.elem, self.expr, other.expr))
    }
}

impl Truth for Term<'_, '_, '_> {
    fn not(self) -> Self {
        self.with(Elem::Bool, |cx| cx.not(self.expr))
    }
}

impl Word for Term<'_, '_, '_> {
    type Real = Self;
    type Truth = Self;

    fn lit(self, value: i64) -> Self {
        self.constant(if self.elem == Elem::I32 { u64::from(value as u32) } else { value as u64 })
    }

    fn left(self, places: u32) -> Self {
        self.shifted(B::ShiftLeft, ScalarKind::Sint, places)
    }

    fn right(self, places: u32) -> Self {
        self.shifted(B::ShiftRight, ScalarKind::Uint, places)
    }

    fn is_negative(self) -> Self {
        self.shifted(B::ShiftRight, ScalarKind::Uint, if self.elem == Elem::I32 { 31 } else { 63 }).is_zero().not()
    }

    fn is_zero(self) -> Self {
        self.compared(B::Equal, Word::lit(self, 0))
    }

    fn real(self) -> Self {
        let elem = if self.elem == Elem::I32 { Elem::F32 } else { Elem::F64 };
        self.with(elem, |cx| cx.bits(self.expr, ScalarKind::Float))
    }
}

impl Real for Term<'_, '_, '_> {
    type Word = Self;
    type Truth = Self;
    type Wide = Self;

    fn format(self) -> &'static Format {
        if self.elem == Elem::F32 { &elementary::SINGLE } else { &elementary::DOUBLE }
    }

    fn lit(self, value: f64) -> Self {
        self.constant(if self.elem == Elem::F32 { u64::from((value as f32).to_bits()) } else { value.to_bits() })
    }

    fn root(self) -> Self {
        self.with(self.elem, |cx| cx.root(self.elem, self.expr))
    }

    /// Drivers may or may not round a fused operation once, so it is computed from doubles: the product is exact there; the sum is
    /// rounded to the neighbour whose last bit is set, unless it is exact too, so that rounding it again is as if it were the
    /// first time.
    fn fused(self, factor: Self, term: Self) -> Self {
        if self.elem == Elem::F64 {
            return self * factor + term;
        }
        if !self.has_doubles() {
            return self.with(Elem::F32, |cx| cx.fused(self.expr, factor.expr, term.expr));
        }
        let term = term.wide();
        let product = self.wide() * factor.wide();
        let sum = product + term;
        // What rounding took from the sum, exactly.
        let second = sum - product;
        let first = sum - second;
        let lost = (product - first) + (term - second);
        let zero = Real::lit(lost, 0.0);
        let inexact = lost.less(zero) | zero.less(lost);
        let bits = sum.word();
        let toward_zero = (bits ^ lost.word()).shifted(B::ShiftRight, ScalarKind::Sint, 63);
        let moved = bits + (toward_zero | Word::lit(bits, 1));
        let moves = (bits & Word::lit(bits, 1)).is_zero() & inexact;
        self.narrow(Real::pick(moves, moved.real(), sum))
    }

    fn trunc(self) -> Self {
        self.math(M::Trunc)
    }

    fn floor(self) -> Self {
        self.math(M::Floor)
    }

    fn less(self, other: Self) -> Self {
        self.compared(B::Less, other)
    }

    fn same(self, other: Self) -> Self {
        self.compared(B::Equal, other)
    }

    fn pick(truth: Self, yes: Self, no: Self) -> Self {
        yes.with(yes.elem, |cx| cx.select(truth.expr, yes.expr, no.expr))
    }

    fn word(self) -> Self {
        let elem = if self.elem == Elem::F32 { Elem::I32 } else { Elem::I64 };
        self.with(elem, |cx| cx.bits(self.expr, ScalarKind::Sint))
    }

    fn wide(self) -> Self {
        match self.elem {
            Elem::F64 => self,
            _ => self.with(Elem::F64, |cx| cx.convert(self.expr, ScalarKind::Float, 8)),
        }
    }

    fn narrow(self, wide: Self) -> Self {
        match self.elem {
            Elem::F64 => wide,
            _ => wide.with(Elem::F32, |cx| cx.convert(wide.expr, ScalarKind::Float, 4)),
        }
    }

    /// A launch in which an argument is far is the processor's: what the shader has written is dropped.
    fn far(self, _: Self, far: Self, _: fn(f64, f64) -> f64, near: Self) -> Self {
        self.code.cx.borrow_mut().mark(far.expr, MARK_FAULT);
        near
    }
}
