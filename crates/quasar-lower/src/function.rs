//! Functions of one number, and conversions by type.

use super::state::Lower;
use super::value::{Element, Length, MOST_SMALL, Num, Small, Val, real_kind};
use super::{Low, refuse};
use quadra_base::Span;
use quadra_kir::{self as kir, Op};
use quadra_quasar_hir::meaning::Meaning;
use quadra_quasar_hir::op1::{self, Op1};
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_hir::types::{Dim, Fit, IntKind, Precision, Rank, Type};
use quadra_quasar_syntax::ast::{BinaryOp, Expr, ExprKind};
use quadra_quasar_vm::arith::Kind;
use quadra_quasar_vm::builtins::name_of;

/// Whether a function works on one number.
pub(super) fn is_unary(meaning: Meaning) -> bool {
    matches!(meaning, Meaning::Map(_) | Meaning::Float | Meaning::Complex)
}

/// Instructions beyond which a kernel is not lowered: inlining and unrolling may grow it.
const MOST_OPS: usize = 40_000;

impl Lower<'_> {
    /// Whether the kernel has grown out of proportion.
    pub fn check_size(&self) -> Low<()> {
        if self.ops > MOST_OPS {
            refuse!("it has more than {MOST_OPS} operations after inlining");
        }
        Ok(())
    }

    /// A function of one number.
    pub fn unary_function(&mut self, meaning: Meaning, n: &Num) -> Low<Num> {
        let op = match meaning {
            Meaning::Map(op) => op,
            Meaning::Complex => {
                let kind = if self.double { Kind::C64 } else { Kind::C32 };
                return Ok(self.convert(n, kind));
            }
            _ => {
                if n.im.is_some() {
                    refuse!("'{}' of a complex number", name_of(meaning));
                }
                let kind = self.scalar_kind();
                return Ok(self.convert(n, kind));
            }
        };
        if n.im.is_some() {
            return self.complex_function(op, n);
        }
        let n = self.plain(n);
        if super::wide_sum::maybe_int(&n) && op.keeps_int() {
            return self.look_exactly("a number");
        }
        if n.kind.is_int() {
            match op {
                Op1::Abs => return Ok(Num::new(n.kind, self.op(Op::Abs, &[n.re]))),
                Op1::Floor | Op1::Ceil | Op1::Round | Op1::Fix | Op1::Real | Op1::Conj => return Ok(n),
                Op1::Frac => return Ok(self.zero(n.kind)),
                Op1::Sign => return self.sign(&n),
                Op1::BitNot => return Ok(Num::new(n.kind, self.op(Op::Not, &[n.re]))),
                Op1::IsNan | Op1::IsInf => return Ok(self.known_bool(false)),
                _ => {}
            }
        }
        let x = self.float_of(&n);
        let result = self.real_function(op, &x)?;
        Ok(Num { early: n.early && op.keeps_int(), ..result })
    }

    pub(super) fn whole_number(&mut self, n: &Num) -> Low<Num> {
        if n.im.is_some() {
            refuse!("'int' of a complex number");
        }
        if n.kind.is_int() {
            let n = self.plain(n);
            if n.kind == Kind::Wide && self.bounds(&n).and_then(|r| r.fitting(32)).is_none() {
                let (low, high) =
                    (self.whole_constant(n.kind, i32::MIN.into()), self.whole_constant(n.kind, i32::MAX.into()));
                let (a, b) = (self.op(Op::CmpGe, &[n.re, low]), self.op(Op::CmpLe, &[n.re, high]));
                let ok = self.op(Op::And, &[a, b]);
                self.require(ok, "a value does not fit in int");
            }
            let range = n.range.and_then(|r| r.fitting(32));
            return Ok(if n.kind == Kind::Int { n } else { Num { range, ..self.convert(&n, Kind::Int) } });
        }
        // A value that does not fit is an error, which the host executor names.
        let (low, high) = (self.float(n.kind, -2147483649.0), self.float(n.kind, 2147483648.0));
        let low = if n.kind == Kind::F32 { self.float(n.kind, -2147483904.0) } else { low };
        let (a, b) = (self.op(Op::CmpGt, &[n.re, low]), self.op(Op::CmpLt, &[n.re, high]));
        let ok = self.op(Op::And, &[a, b]);
        self.require(ok, "a value does not fit in int");
        Ok(self.convert(n, Kind::Int))
    }

    fn real_function(&mut self, op: Op1, x: &Num) -> Low<Num> {
        let simple = match op {
            Op1::Sin => Op::Sin,
            Op1::Cos => Op::Cos,
            Op1::Tan => Op::Tan,
            Op1::Asin => Op::Asin,
            Op1::Acos => Op::Acos,
            Op1::Atan => Op::Atan,
            Op1::Sinh => Op::Sinh,
            Op1::Cosh => Op::Cosh,
            Op1::Tanh => Op::Tanh,
            Op1::Exp => Op::Exp,
            Op1::Log => Op::Log,
            Op1::Log2 => Op::Log2,
            Op1::Abs => Op::Abs,
            Op1::Floor => Op::Floor,
            Op1::Ceil => Op::Ceil,
            Op1::Round => Op::Round,
            Op1::Fix => Op::Trunc,
            _ => return self.composed(op, x),
        };
        Ok(Num::new(x.kind, self.op(simple, &[x.re])))
    }

    fn composed(&mut self, op: Op1, x: &Num) -> Low<Num> {
        let kind = x.kind;
        let zero = self.float(kind, 0.0);
        let re = match op {
            Op1::Sqrt => {
                // The root of a negative is 0 in the IR and NaN in the language.
                let root = self.op(Op::Sqrt, &[x.re]);
                let negative = self.op(Op::CmpLt, &[x.re, zero]);
                let nan = self.float(kind, f64::NAN);
                self.op(Op::Select, &[negative, nan, root])
            }
            Op1::Log10 => {
                let log = self.op(Op::Log2, &[x.re]);
                let epsilon = if kind == Kind::F32 { f32::EPSILON.into() } else { f64::EPSILON };
                op1::log10(&mut Values { of: self, kind }, log, epsilon)
            }
            Op1::Frac => {
                let floor = self.op(Op::Floor, &[x.re]);
                self.op(Op::Sub, &[x.re, floor])
            }
            Op1::Saturate => {
                // In this order of operands what is no number stays so.
                let one = self.float(kind, 1.0);
                let low = self.op(Op::Min, &[x.re, one]);
                self.op(Op::Max, &[zero, low])
            }
            Op1::Sign => return self.sign(x),
            Op1::IsNan => {
                self.asks("'isnan' finds none there");
                let v = self.op(Op::CmpNe, &[x.re, x.re]);
                return Ok(self.truth(v));
            }
            Op1::IsInf => {
                self.asks("'isinf' finds none there");
                let (abs, infinite) = (self.op(Op::Abs, &[x.re]), self.float(kind, f64::INFINITY));
                let v = self.op(Op::CmpEq, &[abs, infinite]);
                return Ok(self.truth(v));
            }
            Op1::Real | Op1::Conj => x.re,
            Op1::Imag => zero,
            Op1::Angle => {
                let negative = self.op(Op::CmpLt, &[x.re, zero]);
                let pi = self.float(kind, std::f64::consts::PI);
                // What is no number has no angle.
                let none = self.op(Op::CmpNe, &[x.re, x.re]);
                let rest = self.op(Op::Select, &[none, x.re, zero]);
                self.op(Op::Select, &[negative, pi, rest])
            }
            _ => refuse!("'{}' of a float", name_of(Meaning::Map(op))),
        };
        Ok(Num::new(kind, re))
    }

    fn sign(&mut self, x: &Num) -> Low<Num> {
        let zero = self.zero(x.kind);
        let (one, minus) = (self.int(1), self.int(-1));
        let (one, minus) = (self.convert(&one, x.kind), self.convert(&minus, x.kind));
        let (above, below) = (self.op(Op::CmpGt, &[x.re, zero.re]), self.op(Op::CmpLt, &[x.re, zero.re]));
        let low = self.op(Op::Select, &[below, minus.re, zero.re]);
        Ok(Num::new(x.kind, self.op(Op::Select, &[above, one.re, low])))
    }

    fn complex_function(&mut self, op: Op1, z: &Num) -> Low<Num> {
        let kind = real_kind(z.kind);
        let (re, im) = (z.re, z.im.unwrap_or(z.re));
        let (x, y) = (Num::new(kind, re), Num::new(kind, im));
        Ok(match op {
            Op1::Real => x,
            Op1::Imag => y,
            Op1::Conj => Num::complex(z.kind, re, self.op(Op::Neg, &[im])),
            Op1::Abs => self.binary(Op2::Hypot, &x, &y, false)?,
            Op1::Angle => self.binary(Op2::Atan2, &y, &x, false)?,
            Op1::Exp => {
                let size = self.op(Op::Exp, &[re]);
                let (c, s) = (self.op(Op::Cos, &[im]), self.op(Op::Sin, &[im]));
                Num::complex(z.kind, self.op(Op::Mul, &[size, c]), self.op(Op::Mul, &[size, s]))
            }
            _ => refuse!("'{}' of a complex number", name_of(Meaning::Map(op))),
        })
    }

    /// A number or the elements of an array in another type, as `cast(x, T)` and `T(x)` do.
    pub fn cast(&mut self, v: &Val, ty: &Type) -> Low<Val> {
        let ty = match ty {
            Type::Array { element, .. } => (**element).clone(),
            other => other.clone(),
        };
        match ty {
            Type::Int(IntKind::Int, Fit::Checked) => self.map(v, &mut |l, n| l.whole_number(n)),
            Type::Int(IntKind::U64, _) => refuse!("a conversion to '{ty}'"),
            Type::Int(kind, fit) => self.map(v, &mut |l, n| l.integer_of(n, kind, fit)),
            _ => match self.kind_of_type(&ty) {
                Some(kind) => self.map(v, &mut |l, n| {
                    if n.im.is_some() && kind < Kind::C32 {
                        refuse!("a complex number becomes real");
                    }
                    Ok(l.convert(n, kind))
                }),
                None => refuse!("a conversion to '{ty}'"),
            },
        }
    }

    /// What a typed parameter or variable makes of a value.
    pub fn admit(&mut self, v: &Val, ty: &Type, name: &str, span: Option<Span>) -> Low<Val> {
        match (v, ty) {
            (_, Type::Any | Type::Param(_)) => Ok(v.clone()),
            (Val::Num(n), Type::Int(kind, fit)) => {
                if *kind == IntKind::Int && n.kind == Kind::Int {
                    return Ok(v.clone());
                }
                if *kind == IntKind::U64 {
                    refuse!("a variable of type '{ty}'");
                }
                if n.kind.is_int() {
                    return self.integer_of(n, *kind, *fit).map(Val::Num);
                }
                if span.is_none() {
                    return self.whole_integer(n, *kind).map(Val::Num);
                }
                self.warn_int(name, span);
                self.integer_of(n, *kind, *fit).map(Val::Num)
            }
            (Val::Num(n), Type::Scalar(_) | Type::Complex(_)) => match self.kind_of_type(ty) {
                Some(kind) if n.im.is_none() || kind >= Kind::C32 => Ok(Val::Num(self.convert(n, kind))),
                _ => refuse!("a number where '{ty}' is wanted"),
            },
            (Val::Either(e), Type::Scalar(_)) => self.admit(&Val::Num(e.float), ty, name, span),
            (Val::Small(s), Type::Array { element, .. }) => {
                let Some(kind) = self.kind_of_type(element) else { refuse!("an array of '{element}'") };
                if !fits_dims(&s.shape.iter().map(|n| Some(*n)).collect::<Vec<_>>(), ty) {
                    refuse!("an array of another size than '{ty}'");
                }
                let mut items = Vec::new();
                for n in &s.items {
                    items.push(self.element_of(n, element, kind)?);
                }
                Ok(Val::Small(Small { items, ..s.clone() }))
            }
            (Val::Channel(n), Type::Array { element, .. }) => {
                let Some(kind) = self.kind_of_type(element) else { refuse!("an array of '{element}'") };
                let count = self.pixels.as_ref().map_or(1, |p| p.count as usize);
                if !fits_dims(&[Some(1), Some(count)], ty) {
                    refuse!("an array of another size than '{ty}'");
                }
                self.element_of(n, element, kind).map(Val::Channel)
            }
            // A copy, which no write to the parameter leaves.
            (Val::Array(a), Type::Array { element, .. })
                if matches!(**element, Type::Int(..))
                    && !a.element.kind().is_int()
                    && a.known_len().is_some_and(|n| n <= MOST_SMALL) =>
            {
                let small = self.small_of(v)?;
                self.admit(&Val::Small(small), ty, name, span)
            }
            (Val::Array(_) | Val::Function(_) | Val::Struct(..), ty) if self.belongs(v, ty) => Ok(v.clone()),
            _ => refuse!("{} where '{ty}' is wanted", v.what()),
        }
    }

    /// An element of a small array in another kind: integers only of floats that are whole.
    fn element_of(&mut self, n: &Num, element: &Type, kind: Kind) -> Low<Num> {
        match element {
            Type::Int(int, _) if !n.kind.is_int() => self.whole_integer(n, *int),
            _ => Ok(self.convert(n, kind)),
        }
    }

    /// The integer that a float is; one that is not whole stops the launch.
    fn whole_integer(&mut self, n: &Num, kind: IntKind) -> Low<Num> {
        let i = self.integer_of(n, kind, Fit::Checked)?;
        let back = self.convert(&i, n.kind);
        let same = self.op(Op::CmpEq, &[back.re, n.re]);
        self.require(same, "an argument is no whole number");
        Ok(i)
    }

    /// The type of a value, as far as `admit` needs it.
    pub fn type_of(&self, v: &Val) -> Low<Type> {
        let number = |kind: Kind| match kind {
            Kind::Int => Type::INT,
            Kind::Wide => Type::Int(IntKind::I64, Fit::Checked),
            Kind::C32 | Kind::C64 => Type::Complex(precision(kind == Kind::C64, self.double)),
            kind => Type::Scalar(precision(kind == Kind::F64, self.double)),
        };
        Ok(match v {
            Val::Num(n) => number(n.kind),
            Val::Channel(n) => Type::array(1, number(n.kind)),
            Val::Small(s) => {
                let rank = if s.is_vector() { 1 } else { s.shape.len() as u8 };
                Type::array(rank, s.items.first().map_or(Type::SCALAR, |n| number(n.kind)))
            }
            Val::Array(a) => {
                let element = match a.element {
                    Element::Int(kind) => Type::Int(kind, a.fit),
                    Element::Mask => Type::INT,
                    other => number(other.kind()),
                };
                Type::array(if a.is_vector() { 1 } else { a.shape.len() as u8 }, element)
            }
            other => refuse!("the type of {}", other.what()),
        })
    }

    /// Whether a value is certain to belong to a type.
    pub fn belongs(&self, v: &Val, ty: &Type) -> bool {
        match (v, ty) {
            (_, Type::Any) => true,
            (Val::Num(n), Type::Scalar(_)) if n.kind.is_int() => true,
            (Val::Num(n), _) => self.kind_of_type(ty) == Some(n.kind),
            (Val::Function(_), Type::Callable(_) | Type::Function | Type::LambdaExpr) => true,
            (Val::Struct(_, name), Type::Class(c)) => c.name == *name,
            (Val::Array(_) | Val::Small(_), Type::Array { rank, element, .. }) => {
                let Ok(Type::Array { rank: have, element: e, .. }) = self.type_of(v) else { return false };
                let rank = match (have, rank) {
                    (_, Rank::Any) => true,
                    (Rank::Fixed(a), Rank::Fixed(b)) => a <= *b,
                    _ => false,
                };
                let same = match (&*e, &**element) {
                    (Type::Int(a, _), Type::Int(b, _)) => a == b,
                    (a, b) => self.kind_of_type(a).is_some() && self.kind_of_type(a) == self.kind_of_type(b),
                };
                let shape: Vec<Option<usize>> = match v {
                    Val::Array(a) => a.shape.iter().map(|l| l.known()).collect(),
                    Val::Small(s) => s.shape.iter().map(|n| Some(*n)).collect(),
                    _ => Vec::new(),
                };
                rank && same && fits_dims(&shape, ty)
            }
            _ => false,
        }
    }

    /// `M < c` and `M <= c` in an assertion bound M by c in the sizes of shared memory.
    pub fn assume(&mut self, condition: &Expr) -> Low<()> {
        match &condition.kind {
            ExprKind::And(a, b) => {
                self.assume(a)?;
                self.assume(b)
            }
            ExprKind::Binary(BinaryOp::Lt | BinaryOp::Le, a, b) => {
                if let (ExprKind::Name(name), ExprKind::Int(limit)) = (&a.kind, &b.kind) {
                    self.bounds.insert(name.clone(), *limit);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A length of shared memory: its known value, or the bound that an assertion gives.
    pub fn bounded(&mut self, e: &Expr) -> Low<Vec<(Length, usize)>> {
        let v = self.expr(e)?;
        if let (Val::Num(n), ExprKind::Name(name)) = (&v, &e.kind)
            && self.known_int(n).is_none()
            && let Some(bound) = self.bounds.get(name).copied()
        {
            let n = self.subscript(n)?;
            let bound = bound.clamp(0, i64::from(i32::MAX) - 1);
            // The assertion may stand elsewhere, or the variable have changed since: what counts is the length here.
            let beyond = self.b.i32(bound as i32 + 1);
            let fits = self.op(Op::CmpLtU, &[n.re, beyond]);
            self.require(fits, "a length of shared memory is beyond its bound");
            return Ok(vec![(Length::Given(n.re), bound as usize)]);
        }
        Ok(self.known_sizes(&[v])?.into_iter().map(|n| (Length::Known(n), n)).collect())
    }
}

/// Values of a kernel, as [`op1::log10`] computes with them.
struct Values<'a, 'b> {
    of: &'a mut Lower<'b>,
    kind: Kind,
}

impl op1::Arithmetic for Values<'_, '_> {
    type Value = kir::Value;

    fn constant(&mut self, value: f64) -> kir::Value {
        self.of.float(self.kind, value)
    }

    fn mul(&mut self, a: kir::Value, b: kir::Value) -> kir::Value {
        self.of.op(Op::Mul, &[a, b])
    }

    fn sub(&mut self, a: kir::Value, b: kir::Value) -> kir::Value {
        self.of.op(Op::Sub, &[a, b])
    }

    fn abs(&mut self, a: kir::Value) -> kir::Value {
        self.of.op(Op::Abs, &[a])
    }

    fn round(&mut self, a: kir::Value) -> kir::Value {
        self.of.op(Op::Round, &[a])
    }

    fn if_le(&mut self, a: kir::Value, b: kir::Value, yes: kir::Value, no: kir::Value) -> kir::Value {
        let holds = self.of.op(Op::CmpLe, &[a, b]);
        self.of.op(Op::Select, &[holds, yes, no])
    }
}

fn precision(double: bool, default_double: bool) -> Precision {
    match (double, default_double) {
        (true, false) => Precision::Double,
        (false, true) => Precision::Single,
        _ => Precision::Default,
    }
}

/// Whether lengths are known to agree with the constraint of an array type.
fn fits_dims(shape: &[Option<usize>], ty: &Type) -> bool {
    let Type::Array { rank, dims, .. } = ty else { return false };
    let vector = matches!(rank, Rank::Fixed(1));
    if vector && shape.first() != Some(&Some(1)) {
        return false;
    }
    dims.iter().enumerate().all(|(i, dim)| match dim {
        Dim::Size(n) => shape.get(if vector { i + 1 } else { i }).copied().unwrap_or(Some(1)) == Some(*n),
        _ => true,
    })
}
