//! Products and sums of single numbers that round once, by operations on single numbers that round each by itself: for GPUs
//! without doubles.
//!
//! Both factors become numbers between 1 and 2, of which a product is known exactly as two numbers; so is the sum of the smaller one
//! and the term. What is left is rounded to an odd number, so that the last sum rounds as if it were the first one (S. Boldo and
//! G. Melquiond, Emulation of a FMA and correctly rounded sums, 2008). Results below 2^-126 are rounded twice.

use super::{Cx, Expr};
use naga::{
    BinaryOperator as B, Block, Expression, Function, FunctionArgument, FunctionResult, Handle, Literal,
    MathFunction as M, ScalarKind, Span, Statement,
};
use quadra_kir::Elem;

/// Bits of a single number: all but the sign, those of the exponent, those of the fraction, those of its first half.
const SIZE: u32 = 0x7fff_ffff;
const SIGN: u32 = 0x8000_0000;
const FRACTION: u32 = 0x007f_ffff;
const FIRST_HALF: u32 = 0xffff_f000;
const ONE: u32 = 0x3f80_0000;
/// A term is at least so small and at most so large beside a product of 1 to 4: there its size makes no difference any more.
const TINY: f32 = 8.271_806e-25;
const HUGE: f32 = 1.152_921_5e18;

impl Cx<'_> {
    /// `a` times `b` plus `c`, rounded once.
    pub(super) fn fused(&mut self, a: Expr, b: Expr, c: Expr) -> Expr {
        let function = match self.fused_function {
            Some(function) => function,
            None => self.define(),
        };
        self.fused_function = Some(function);
        let result = self.pre(Expression::CallResult(function));
        self.push(Statement::Call { function, arguments: vec![a, b, c], result: Some(result) });
        result
    }

    /// The function that computes it.
    fn define(&mut self) -> Handle<Function> {
        let ty = self.ty(naga::TypeInner::Scalar(super::scalar(Elem::F32)));
        let argument = |name: &str| FunctionArgument { name: Some(name.into()), ty, binding: None };
        let mut function = Function { name: Some("fused".into()), ..Function::default() };
        function.arguments = ["a", "b", "c"].map(argument).into();
        function.result = Some(FunctionResult { ty, binding: None });
        let around = std::mem::replace(&mut self.f, function);
        let blocks = std::mem::replace(&mut self.blocks, vec![Block::new()]);
        let [a, b, c] = [0, 1, 2].map(|n| self.pre(Expression::FunctionArgument(n)));
        let value = Some(self.fused_value(a, b, c));
        self.push(Statement::Return { value });
        let body = self.blocks.pop().expect("it has just been made");
        self.blocks = blocks;
        let function = Function { body, ..std::mem::replace(&mut self.f, around) };
        self.module.functions.append(function, Span::UNDEFINED)
    }

    fn fused_value(&mut self, a: Expr, b: Expr, c: Expr) -> Expr {
        let product = self.binary(B::Multiply, a, b);
        let plain = self.binary(B::Add, product, c);
        let [(a, a_power), (b, b_power)] = [a, b].map(|x| self.parts(x));
        let power = self.binary(B::Add, a_power, b_power);
        let zero = self.i32(0);
        let down = self.binary(B::Subtract, zero, power);
        // A term that is zero stays zero; one that is too small, or too large, to be told from others is another one of its sign.
        let term = self.scaled(c, down);
        let size = self.math(M::Abs, term);
        let [tiny, huge, none] = [TINY, HUGE, 0.0].map(|x| self.single(x));
        let small = self.binary(B::Less, size, tiny);
        let some = self.binary(B::NotEqual, c, none);
        let small = self.binary(B::LogicalAnd, small, some);
        let sign = self.masked(c, SIGN);
        let smallest = self.bits(tiny, ScalarKind::Uint);
        let smallest = self.binary(B::InclusiveOr, smallest, sign);
        let smallest = self.bits(smallest, ScalarKind::Float);
        let near = self.select(small, smallest, term);
        let alone = self.binary(B::Greater, size, huge);
        let near = self.select(alone, none, near);
        let sum = self.exact_sum(a, b, near);
        let sum = self.scaled(sum, power);
        let sum = self.select(alone, c, sum);
        // What is 0, infinite or no number needs no care.
        let [a_normal, b_normal, c_finite] = [(a_power, true), (b_power, true), (c, false)].map(|(x, factor)| {
            if factor {
                let odd = self.i32(NO_POWER);
                self.binary(B::Less, x, odd)
            } else {
                let bits = self.masked(x, SIZE);
                let infinite = self.u32(0x7f80_0000);
                self.binary(B::Less, bits, infinite)
            }
        });
        let both = self.binary(B::LogicalAnd, a_normal, b_normal);
        let careful = self.binary(B::LogicalAnd, both, c_finite);
        self.select(careful, sum, plain)
    }

    fn single(&mut self, value: f32) -> Expr {
        self.pre(Expression::Literal(Literal::F32(value)))
    }

    /// Some bits of a number.
    fn masked(&mut self, x: Expr, mask: u32) -> Expr {
        let (bits, mask) = (self.bits(x, ScalarKind::Uint), self.u32(mask));
        self.binary(B::And, bits, mask)
    }

    /// A number between 1 and 2, or its negative, and the power of two that the number is this times; [`NO_POWER`] of 0, of what is
    /// below 2^-126, infinite or no number.
    fn parts(&mut self, x: Expr) -> (Expr, Expr) {
        let (own, one) = (self.masked(x, SIGN | FRACTION), self.u32(ONE));
        let own = self.binary(B::InclusiveOr, own, one);
        let own = self.bits(own, ScalarKind::Float);
        let exponent = self.masked(x, SIZE);
        let places = self.u32(23);
        let exponent = self.binary(B::ShiftRight, exponent, places);
        let exponent = self.bits(exponent, ScalarKind::Sint);
        let [none, last, bias, odd] = [0, 255, 127, NO_POWER].map(|n| self.i32(n));
        let zero = self.binary(B::Equal, exponent, none);
        let infinite = self.binary(B::Equal, exponent, last);
        let special = self.binary(B::LogicalOr, zero, infinite);
        let power = self.binary(B::Subtract, exponent, bias);
        (own, self.select(special, odd, power))
    }

    /// A number times a power of two, rounded once unless it is below 2^-126.
    pub(super) fn scaled(&mut self, x: Expr, power: Expr) -> Expr {
        // Three powers of a third each are within the exponents of numbers.
        let three = self.i32(3);
        let third = self.binary(B::Divide, power, three);
        let twice = self.binary(B::Add, third, third);
        let rest = self.binary(B::Subtract, power, twice);
        [third, third, rest].into_iter().fold(x, |x, n| {
            let (low, high) = (self.i32(-126), self.i32(127));
            let below = self.binary(B::Less, n, low);
            let n = self.select(below, low, n);
            let above = self.binary(B::Greater, n, high);
            let n = self.select(above, high, n);
            let (bias, places) = (self.i32(127), self.u32(23));
            let n = self.binary(B::Add, n, bias);
            let n = self.binary(B::ShiftLeft, n, places);
            let factor = self.bits(n, ScalarKind::Float);
            self.binary(B::Multiply, x, factor)
        })
    }

    /// The sum of two numbers, and what rounding took from it.
    fn two_sum(&mut self, a: Expr, b: Expr) -> (Expr, Expr) {
        let sum = self.binary(B::Add, a, b);
        let second = self.binary(B::Subtract, sum, a);
        let first = self.binary(B::Subtract, sum, second);
        let [a, b] = [(a, first), (b, second)].map(|(x, part)| self.binary(B::Subtract, x, part));
        (sum, self.binary(B::Add, a, b))
    }

    /// The product of two numbers between 1 and 2, and what rounding took from it.
    fn two_product(&mut self, a: Expr, b: Expr) -> (Expr, Expr) {
        let product = self.binary(B::Multiply, a, b);
        let [(a_high, a_low), (b_high, b_low)] = [a, b].map(|x| {
            let high = self.masked(x, FIRST_HALF);
            let high = self.bits(high, ScalarKind::Float);
            (high, self.binary(B::Subtract, x, high))
        });
        let zero = self.single(0.0);
        let begin = self.binary(B::Subtract, zero, product);
        let parts = [(a_high, b_high), (a_high, b_low), (a_low, b_high), (a_low, b_low)];
        let lost = parts.into_iter().fold(begin, |sum, (a, b)| {
            let part = self.binary(B::Multiply, a, b);
            self.binary(B::Add, sum, part)
        });
        (product, lost)
    }

    /// The product of two numbers between 1 and 2, and a term that is about as large, rounded once.
    fn exact_sum(&mut self, a: Expr, b: Expr, term: Expr) -> Expr {
        let (high, low) = self.two_product(a, b);
        let (upper, lower) = self.two_sum(term, low);
        let (sum, rest) = self.two_sum(high, upper);
        let (last, lost) = self.two_sum(lower, rest);
        // To the neighbour whose last bit is set, on the side of what was lost.
        let [bits, other] = [last, lost].map(|x| self.bits(x, ScalarKind::Uint));
        let [none, one] = [0, 1].map(|n| self.u32(n));
        let apart = self.binary(B::ExclusiveOr, bits, other);
        let sign = self.u32(SIGN);
        let apart = self.binary(B::And, apart, sign);
        let further = self.binary(B::Equal, apart, none);
        let (up, down) = (self.binary(B::Add, bits, one), self.binary(B::Subtract, bits, one));
        let moved = self.select(further, up, down);
        let even = self.binary(B::And, bits, one);
        let even = self.binary(B::Equal, even, none);
        let zero = self.single(0.0);
        let inexact = self.binary(B::NotEqual, lost, zero);
        let moves = self.binary(B::LogicalAnd, even, inexact);
        let odd = self.select(moves, moved, bits);
        let odd = self.bits(odd, ScalarKind::Float);
        self.binary(B::Add, sum, odd)
    }
}

/// Stands for a power of two that is none.
const NO_POWER: i32 = 1 << 12;
