//! Elementary functions as code: `kir::eval::elementary` defines them for numbers of which it only wants that they can be added,
//! compared and so on, and here these are values of LLVM IR.

use super::state::Lower;
use crate::common::text::{self, number};
use quadra_kir::eval::elementary::{self, Format, Real, Truth, Word};
use quadra_kir::{Elem, Op, Type};
use std::cell::RefCell;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Sub};

/// A function being written: its operation, operands, and the values that it has named.
struct Code<'c, 'k> {
    lower: RefCell<&'c mut Lower<'k>>,
    values: RefCell<Vec<(Type, String)>>,
    op: Op,
    operands: [&'c str; 2],
    ty: Type,
}

/// One of its values, a float, an integer or a truth value.
#[derive(Clone, Copy)]
struct Term<'a, 'c, 'k> {
    code: &'a Code<'c, 'k>,
    at: usize,
}

impl Lower<'_> {
    /// The function `op` of operands of type `t`; none if there is no definition by operations for that type.
    pub(super) fn elementary(&mut self, op: Op, t: Type, a: &str, b: &str) -> Option<String> {
        let code = Code {
            lower: RefCell::new(self),
            values: RefCell::new(vec![(t, a.to_string()), (t, b.to_string())]),
            op,
            operands: [a, b],
            ty: t,
        };
        let [x, y] = [0, 1].map(|at| Term { code: &code, at });
        let single = t.elem == Elem::F32;
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
            Op::Exp if !single => elementary::exp(x),
            Op::Exp2 if !single => elementary::exp2(x),
            Op::Pow if single => elementary::pow(x, y),
            Op::Rem if single => elementary::remainder(x, y),
            Op::Mod if single => elementary::floor_remainder(x, y),
            Op::Round => elementary::round(x),
            _ => return None,
        };
        Some(result.name())
    }

    /// `a` · `b` + `c` of singles, rounded once. Where no instruction does that: the product is exact in double precision; the sum is
    /// rounded to the neighbour whose last bit is set, unless it is exact too, so that rounding it again is as if it were the first time.
    pub(super) fn fused(&mut self, t: Type, a: &str, b: &str, c: &str) -> String {
        if self.plan.fuses {
            return self.intrinsic("fma", t, &[a, b, c]);
        }
        let (wide, word) = (t.with_elem(Elem::F64), t.with_elem(Elem::I64));
        let (single, double, bits) = (text::ty(t), text::ty(wide), text::ty(word));
        let [a, b, c] = [a, b, c].map(|x| self.t.def(&format!("fpext {single} {x} to {double}")));
        let product = self.op2("fmul", wide, &a, &b);
        let sum = self.op2("fadd", wide, &product, &c);
        // What rounding took from the sum, exactly.
        let second = self.op2("fsub", wide, &sum, &product);
        let first = self.op2("fsub", wide, &sum, &second);
        let (of_first, of_second) = (self.op2("fsub", wide, &product, &first), self.op2("fsub", wide, &c, &second));
        let lost = self.op2("fadd", wide, &of_first, &of_second);
        let [sum_bits, lost_bits] = [&sum, &lost].map(|x| self.t.def(&format!("bitcast {double} {x} to {bits}")));
        let apart = self.op2("xor", word, &sum_bits, &lost_bits);
        let toward_zero = self.op2("ashr", word, &apart, &number(word, 63));
        let step = self.op2("or", word, &toward_zero, &number(word, 1));
        let moved = self.op2("add", word, &sum_bits, &step);
        let last = self.op2("and", word, &sum_bits, &number(word, 1));
        let even = self.op2("icmp eq", word, &last, &number(word, 0));
        let inexact = self.op2("fcmp one", wide, &lost, &number(wide, 0));
        let moves = self.op2("and", word.with_elem(Elem::Bool), &even, &inexact);
        let odd = self.choose(word, &moves, &moved, &sum_bits);
        let odd = self.t.def(&format!("bitcast {bits} {odd} to {double}"));
        self.t.def(&format!("fptrunc {double} {odd} to {single}"))
    }
}

impl<'a, 'c, 'k> Term<'a, 'c, 'k> {
    fn ty(self) -> Type {
        self.code.values.borrow()[self.at].0
    }

    fn name(self) -> String {
        self.code.values.borrow()[self.at].1.clone()
    }

    /// Another value of the same function.
    fn value(self, ty: Type, name: String) -> Self {
        let mut values = self.code.values.borrow_mut();
        values.push((ty, name));
        Term { at: values.len() - 1, ..self }
    }

    /// The value of an instruction.
    fn def(self, ty: Type, instruction: &str) -> Self {
        let name = self.code.lower.borrow_mut().t.def(instruction);
        self.value(ty, name)
    }

    /// The value of an instruction that takes two values of one type.
    fn both(self, instruction: &str, other: Self, ty: Type) -> Self {
        self.def(ty, &format!("{instruction} {} {}, {}", text::ty(self.ty()), self.name(), other.name()))
    }

    fn same_type(self, instruction: &str, other: Self) -> Self {
        self.both(instruction, other, self.ty())
    }

    /// Shifted by a constant.
    fn shifted(self, instruction: &str, places: u32) -> Self {
        self.same_type(instruction, Word::lit(self, places.into()))
    }

    fn compared(self, instruction: &str, other: Self) -> Self {
        self.both(instruction, other, self.ty().with_elem(Elem::Bool))
    }

    fn converted(self, instruction: &str, elem: Elem) -> Self {
        let to = self.ty().with_elem(elem);
        if to == self.ty() {
            return self;
        }
        self.def(to, &format!("{instruction} {} {} to {}", text::ty(self.ty()), self.name(), text::ty(to)))
    }

    fn intrinsic(self, name: &str) -> Self {
        let result = self.code.lower.borrow_mut().intrinsic(name, self.ty(), &[&self.name()]);
        self.value(self.ty(), result)
    }

    fn is_float(self) -> bool {
        self.ty().elem.is_float()
    }
}

macro_rules! operator {
    ($($trait:ident $function:ident $float:literal $int:literal;)*) => {
        $(impl $trait for Term<'_, '_, '_> {
            type Output = Self;
            fn $function(self, other: Self) -> Self {
                self.same_type(if self.is_float() { $float } else { $int }, other)
            }
        })*
    };
}
operator! {
    Add add "fadd" "add";
    Sub sub "fsub" "sub";
    Mul mul "fmul" "mul";
    Div div "fdiv" "sdiv";
    BitAnd bitand "and" "and";
    BitOr bitor "or" "or";
    BitXor bitxor "xor" "xor";
}

impl Truth for Term<'_, '_, '_> {
    fn not(self) -> Self {
        let all = self.value(self.ty(), text::lanes_of(self.ty(), "true"));
        self ^ all
    }
}

impl Word for Term<'_, '_, '_> {
    type Real = Self;
    type Truth = Self;

    fn lit(self, value: i64) -> Self {
        let value = if self.ty().elem == Elem::I32 { i64::from(value as i32) } else { value };
        self.value(self.ty(), number(self.ty(), value))
    }

    fn left(self, places: u32) -> Self {
        self.shifted("shl", places)
    }

    fn right(self, places: u32) -> Self {
        self.shifted("lshr", places)
    }

    fn is_negative(self) -> Self {
        self.compared("icmp slt", Word::lit(self, 0))
    }

    fn is_zero(self) -> Self {
        self.compared("icmp eq", Word::lit(self, 0))
    }

    fn real(self) -> Self {
        self.converted("bitcast", if self.ty().elem == Elem::I32 { Elem::F32 } else { Elem::F64 })
    }
}

impl Real for Term<'_, '_, '_> {
    type Word = Self;
    type Truth = Self;
    type Wide = Self;

    fn format(self) -> &'static Format {
        if self.ty().elem == Elem::F32 { &elementary::SINGLE } else { &elementary::DOUBLE }
    }

    fn lit(self, value: f64) -> Self {
        let value = if self.ty().elem == Elem::F32 { f64::from(value as f32) } else { value };
        self.value(self.ty(), text::lanes_of(self.ty(), &format!("0x{:016X}", value.to_bits())))
    }

    fn root(self) -> Self {
        self.intrinsic("sqrt")
    }

    fn fused(self, factor: Self, term: Self) -> Self {
        if self.ty().elem == Elem::F64 {
            return self * factor + term;
        }
        let [a, b, c] = [self, factor, term].map(Term::name);
        let sum = self.code.lower.borrow_mut().fused(self.ty(), &a, &b, &c);
        self.value(self.ty(), sum)
    }

    fn trunc(self) -> Self {
        self.intrinsic("trunc")
    }

    fn floor(self) -> Self {
        self.intrinsic("floor")
    }

    fn less(self, other: Self) -> Self {
        self.compared("fcmp olt", other)
    }

    fn same(self, other: Self) -> Self {
        self.compared("fcmp oeq", other)
    }

    fn pick(truth: Self, yes: Self, no: Self) -> Self {
        let chosen = truth.code.lower.borrow_mut().choose(yes.ty(), &truth.name(), &yes.name(), &no.name());
        yes.value(yes.ty(), chosen)
    }

    fn word(self) -> Self {
        self.converted("bitcast", if self.ty().elem == Elem::F32 { Elem::I32 } else { Elem::I64 })
    }

    fn wide(self) -> Self {
        self.converted("fpext", Elem::F64)
    }

    fn narrow(self, wide: Self) -> Self {
        wide.converted("fptrunc", self.ty().elem)
    }

    fn abs(self) -> Self {
        self.intrinsic("fabs")
    }

    /// Lanes are seldom far, so that all are computed again by the interpreter's own function if one is.
    fn far(self, _: Self, far: Self, _: fn(f64, f64) -> f64, near: Self) -> Self {
        let Code { lower, op, operands: [a, b], ty, .. } = self.code;
        let mut lower = lower.borrow_mut();
        let (name, slot) = (text::ty(*ty), lower.t.slot(&text::ty(*ty)));
        lower.t.line(&format!("store {name} {}, ptr {slot}", near.name()));
        let any = if ty.lanes { lower.t.any(&far.name()) } else { far.name() };
        let (rare, join) = (lower.t.fresh_label(), lower.t.fresh_label());
        lower.t.branch_if(&any, &rare, &join);
        lower.t.label(&rare);
        let all = lower.library(*op, *ty, a, b);
        lower.t.line(&format!("store {name} {all}, ptr {slot}"));
        lower.t.branch(&join);
        lower.t.label(&join);
        let value = lower.t.def(&format!("load {name}, ptr {slot}"));
        drop(lower);
        self.value(*ty, value)
    }
}
