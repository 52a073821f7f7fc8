//! Arithmetic on single numbers, as `host::scalar_ops` defines it.

use super::parts::OpenLoop;
use super::state::Lower;
use super::value::{Num, elem_of, real_kind};
use super::{Low, refuse};
use quadra_base::Span;
use quadra_kir::{self as kir, Bounds, Const, Elem, Op};
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_hir::types::{Fit, IntKind};
use quadra_quasar_vm::arith::Kind;

/// As many of these as a loop has iterations come to less than the half of what an integer holds.
pub(super) const LITTLE: i64 = 3;

/// The greatest `f32` that an `int` holds.
pub(super) const BELOW_INT: f64 = 2_147_483_520.0;

impl Lower<'_> {
    /// A truth value as a number.
    pub fn truth(&mut self, v: kir::Value) -> Num {
        Num { range: Some(Bounds::new(0, 1)), ..Num::new(Kind::Int, v) }
    }

    /// Whether a number is not 0.
    pub fn is_true(&mut self, n: &Num) -> Low<kir::Value> {
        if n.im.is_some() {
            refuse!("a complex number as a condition");
        }
        if self.elem(n.re) == Elem::Bool {
            return Ok(n.re);
        }
        let zero = self.b.constant(Const::zero(elem_of(n.kind)));
        Ok(self.op(Op::CmpNe, &[n.re, zero]))
    }

    /// A number whose IR value has the element type of its kind: no longer a `bool`.
    pub fn plain(&mut self, n: &Num) -> Num {
        if self.elem(n.re) != Elem::Bool {
            return *n;
        }
        let re = self.op(Op::ToI32, &[n.re]);
        Num { re, ..*n }
    }

    /// A number in another kind. Floats become integers by truncation.
    pub fn convert(&mut self, n: &Num, kind: Kind) -> Num {
        let n = self.plain(n);
        if n.kind == kind {
            return n;
        }
        let op = match elem_of(kind) {
            Elem::I32 => Op::ToI32,
            Elem::I64 => Op::ToI64,
            Elem::F64 => Op::ToF64,
            _ => Op::ToF32,
        };
        let same = elem_of(kind) == elem_of(n.kind);
        let re = if same { n.re } else { self.op(op, &[n.re]) };
        if kind < Kind::C32 {
            let range = if kind <= Kind::Wide { n.range } else { None };
            return Num { range, ..Num::new(kind, re) };
        }
        let im = match n.im {
            Some(im) if same => im,
            Some(im) => self.op(op, &[im]),
            None => self.float(kind, 0.0),
        };
        Num::complex(kind, re, im)
    }

    /// A number as a subscript: floats are truncated, what is no number is 0, and what an `int` does not hold becomes the
    /// next number that it holds, which lies outside of every array on the same side.
    pub fn subscript(&mut self, n: &Num) -> Low<Num> {
        if n.im.is_some() {
            refuse!("a complex number as an index");
        }
        if n.kind == Kind::Int {
            return Ok(self.plain(n));
        }
        let high = if n.kind == Kind::F64 { f64::from(i32::MAX) } else { BELOW_INT };
        let (low, high) = match n.kind {
            Kind::Wide => (self.b.constant(Const::i64(i32::MIN.into())), self.b.constant(Const::i64(i32::MAX.into()))),
            _ => (self.float(n.kind, -high), self.float(n.kind, high)),
        };
        // In this order of operands what is no number stays so, and converts to 0.
        let below = self.op(Op::Min, &[n.re, high]);
        let re = self.op(Op::Max, &[low, below]);
        Ok(self.convert(&Num { range: n.range.and_then(|r| r.fitting(32)), ..Num::new(n.kind, re) }, Kind::Int))
    }

    /// An operator on two numbers. `literal`: the exponent of a power is written as a number.
    pub fn binary(&mut self, op: Op2, a: &Num, b: &Num, literal: bool) -> Low<Num> {
        let result = self.result(op, a, b, literal)?;
        self.early_result(op, a, b, result)
    }

    fn result(&mut self, op: Op2, a: &Num, b: &Num, literal: bool) -> Low<Num> {
        if op == Op2::Pow {
            return self.power(a, b, literal);
        }
        let mut kind = a.kind.promote(b.kind);
        if kind.is_int() && op.gives_float() {
            kind = self.scalar_kind();
        }
        if op.is_comparison() && kind == Kind::Int && self.elem(a.re) == Elem::Bool && self.elem(b.re) == Elem::Bool {
            let v = self.op(comparison(op), &[a.re, b.re]);
            return Ok(self.truth(v));
        }
        let (x, y) = (self.convert(a, kind), self.convert(b, kind));
        if kind >= Kind::C32 {
            return self.complex(op, kind, &x, &y);
        }
        if op.is_comparison() {
            let v = self.op(comparison(op), &[x.re, y.re]);
            return Ok(self.truth(v));
        }
        if kind.is_int() { self.integer(op, kind, &x, &y) } else { self.real(op, kind, x.re, y.re) }
    }

    /// Between which values an integer lies, if that is known.
    pub fn bounds(&mut self, n: &Num) -> Option<Bounds> {
        let constant = if n.kind.is_int() { self.known_int(n) } else { None };
        let given = |s: &mut Self| s.given_range(n.re).filter(|_| n.kind == Kind::Int);
        constant.map(Bounds::exactly).or(n.range).or_else(|| given(self))
    }

    fn integer(&mut self, op: Op2, kind: Kind, x: &Num, y: &Num) -> Low<Num> {
        let mut range = interval(op, self.bounds(x), self.bounds(y));
        if let (Op2::Sub, Some(least), Some(r)) = (op, self.facts.difference(x, y), range) {
            range = Some(r.meet(Bounds { low: least, ..r })).filter(|r| r.low <= r.high).or(Some(r));
        }
        let plain = match op {
            Op2::Add => Op::Add,
            Op2::Sub => Op::Sub,
            Op2::Mul => Op::Mul,
            Op2::Max => Op::Max,
            Op2::Min => Op::Min,
            Op2::And => Op::And,
            Op2::Or => Op::Or,
            Op2::Xor => Op::Xor,
            Op2::Mod if kind == Kind::Int => return Ok(self.remainder(x, y)),
            Op2::Mod | Op2::Rem => {
                self.nonzero(y);
                if op == Op2::Mod { Op::Mod } else { Op::Rem }
            }
            Op2::Shl | Op2::Shr => return self.shift(op, kind, x, y),
            _ => refuse!("'{}' of integers", op.name()),
        };
        let re = self.op(plain, &[x.re, y.re]);
        if self.host && range.is_none() && matches!(op, Op2::Add | Op2::Sub | Op2::Mul) {
            if kind == Kind::Int && self.constant(re).is_some() {
                refuse!("constants that overflow");
            }
            self.no_overflow(op, kind, x.re, y.re, re)?;
            self.tests_in_loops += usize::from(self.frame().loops.iter().any(|l| *l != OpenLoop::Items));
        }
        let sum = matches!(op, Op2::Add | Op2::Sub);
        let (item, wide) = if sum { (self.shifted(op, x, y), self.wide_sum(op, x, y)) } else { (None, None) };
        Ok(Num { range, item, wide, ..Num::new(kind, re) })
    }

    /// Stops the launch where a sum or product does not fit its type.
    pub fn no_overflow(&mut self, op: Op2, kind: Kind, x: kir::Value, y: kir::Value, r: kir::Value) -> Low<()> {
        let zero = self.b.constant(Const::zero(elem_of(kind)));
        let fits = match (op, kind) {
            (Op2::Mul, Kind::Int) => {
                // As floats, which all devices have; products close to the bound are left to the host.
                let (p, q) = (self.op(Op::ToF32, &[x]), self.op(Op::ToF32, &[y]));
                let product = self.op(Op::Mul, &[p, q]);
                let size = self.op(Op::Abs, &[product]);
                let bound = self.b.f32(2_147_480_000.0);
                self.op(Op::CmpLt, &[size, bound])
            }
            (Op2::Mul, _) if !self.doubles => refuse!("a product of 64-bit integers on a device without doubles"),
            (Op2::Mul, _) => {
                // A double is off by 2^-53 of its size at most, thrice here: far less than what this bound stays below 2^63 by.
                let (p, q) = (self.op(Op::ToF64, &[x]), self.op(Op::ToF64, &[y]));
                let product = self.op(Op::Mul, &[p, q]);
                let size = self.op(Op::Abs, &[product]);
                let bound = self.float(Kind::F64, 9.223_372_036_854e18);
                self.op(Op::CmpLt, &[size, bound])
            }
            _ => {
                // The sum has the wrong sign if both operands have the other one.
                let other = if op == Op2::Sub { self.op(Op::Not, &[y]) } else { y };
                let (a, b) = (self.op(Op::Xor, &[x, r]), self.op(Op::Xor, &[other, r]));
                let both = self.op(Op::And, &[a, b]);
                self.op(Op::CmpGe, &[both, zero])
            }
        };
        self.require(fits, "integer overflow");
        Ok(())
    }

    /// Stops a loop of the host whose integer element does not hold what is added to it. Of numbers
    /// up to [`LITTLE`] there are never enough for that.
    pub fn fits_element(&mut self, op: Op2, old: kir::Value, v: &Num, new: kir::Value) -> Low<()> {
        if !self.host || self.is_little(v) {
            return Ok(());
        }
        self.no_overflow(op, Kind::Int, old, v.re, new)
    }

    pub fn nonzero(&mut self, y: &Num) {
        let zero = self.b.constant(Const::zero(elem_of(y.kind)));
        let ok = self.op(Op::CmpNe, &[y.re, zero]);
        self.require(ok, "mod by the integer 0");
    }

    /// Stops the launch unless a condition holds; the host executor then says what is wrong.
    pub fn require(&mut self, ok: kir::Value, text: &str) {
        if self.constant(ok).is_none_or(|c| c.bits == 0) {
            self.b.say(Op::Assert, &[ok], text);
        }
    }

    fn shift(&mut self, op: Op2, kind: Kind, x: &Num, y: &Num) -> Low<Num> {
        let bits = if kind == Kind::Wide { 64 } else { 32 };
        let ir = if op == Op2::Shl { Op::Shl } else { Op::Asr };
        let shifted = self.op(ir, &[x.re, y.re]);
        let width = self.b.constant(if bits == 64 { Const::i64(64) } else { Const::i32(32) });
        let inside = self.op(Op::CmpLtU, &[y.re, width]);
        let beyond = match op {
            Op2::Shl => self.zero(kind).re,
            _ => {
                let all = self.b.constant(if bits == 64 { Const::i64(63) } else { Const::i32(31) });
                self.op(Op::Asr, &[x.re, all])
            }
        };
        let re = self.op(Op::Select, &[inside, shifted, beyond]);
        let range = interval(op, self.bounds(x), self.bounds(y)).filter(|_| kind == Kind::Int);
        Ok(Num { range, ..Num::new(kind, re) })
    }

    fn real(&mut self, op: Op2, kind: Kind, x: kir::Value, y: kir::Value) -> Low<Num> {
        let re = match op {
            Op2::Add => self.op(Op::Add, &[x, y]),
            Op2::Sub => self.op(Op::Sub, &[x, y]),
            Op2::Mul => self.op(Op::Mul, &[x, y]),
            Op2::Div => self.op(Op::Div, &[x, y]),
            // For a NaN, the IR gives the second operand of a maximum and the first of a minimum, the language the one that
            // is a number. So a NaN disappears on the right, where folds have it, and beside a constant.
            Op2::Max if self.constant(y).is_some() => self.op(Op::Max, &[x, y]),
            Op2::Max => self.op(Op::Max, &[y, x]),
            Op2::Min if self.constant(y).is_some() => self.op(Op::Min, &[y, x]),
            Op2::Min => self.op(Op::Min, &[x, y]),
            Op2::Mod => self.modulo(kind, x, y),
            Op2::Rem => self.op(Op::Rem, &[x, y]),
            Op2::Atan2 => self.op(Op::Atan2, &[x, y]),
            Op2::Hypot => {
                let (xx, yy) = (self.op(Op::Mul, &[x, x]), self.op(Op::Mul, &[y, y]));
                let sum = self.op(Op::Add, &[xx, yy]);
                self.op(Op::Sqrt, &[sum])
            }
            _ => refuse!("'{}' of floating-point numbers", op.name()),
        };
        Ok(Num::new(kind, re))
    }

    fn complex(&mut self, op: Op2, kind: Kind, x: &Num, y: &Num) -> Low<Num> {
        let zero = self.float(kind, 0.0);
        let (a, b, c, d) = (x.re, x.im.unwrap_or(zero), y.re, y.im.unwrap_or(zero));
        let mul = |s: &mut Self, p, q| s.op(Op::Mul, &[p, q]);
        Ok(match op {
            Op2::Add | Op2::Sub => {
                let ir = if op == Op2::Add { Op::Add } else { Op::Sub };
                let (re, im) = (self.op(ir, &[a, c]), self.op(ir, &[b, d]));
                Num::complex(kind, re, im)
            }
            Op2::Mul => {
                let (ac, bd, ad, bc) = (mul(self, a, c), mul(self, b, d), mul(self, a, d), mul(self, b, c));
                let (re, im) = (self.op(Op::Sub, &[ac, bd]), self.op(Op::Add, &[ad, bc]));
                Num::complex(kind, re, im)
            }
            Op2::Div => {
                let (cc, dd) = (mul(self, c, c), mul(self, d, d));
                let norm = self.op(Op::Add, &[cc, dd]);
                let (ac, bd, bc, ad) = (mul(self, a, c), mul(self, b, d), mul(self, b, c), mul(self, a, d));
                let (re, im) = (self.op(Op::Add, &[ac, bd]), self.op(Op::Sub, &[bc, ad]));
                let (re, im) = (self.op(Op::Div, &[re, norm]), self.op(Op::Div, &[im, norm]));
                Num::complex(kind, re, im)
            }
            Op2::Eq | Op2::Ne => {
                let (re, im) = (self.op(Op::CmpEq, &[a, c]), self.op(Op::CmpEq, &[b, d]));
                let same = self.op(Op::And, &[re, im]);
                let v = if op == Op2::Ne { self.op(Op::Not, &[same]) } else { same };
                self.truth(v)
            }
            _ => refuse!("'{}' of complex numbers", op.name()),
        })
    }

    /// `a ^ b`. Small whole exponents that are written as numbers become products.
    fn power(&mut self, a: &Num, b: &Num, literal: bool) -> Low<Num> {
        let whole = self.known_int(b).filter(|_| b.im.is_none());
        if a.kind.is_int() && b.kind.is_int() && literal && whole.is_some_and(|n| n >= 0) {
            let base = self.plain(a);
            return self.product(&base, whole.unwrap_or(0), base.kind);
        }
        let mut kind = a.kind.promote(b.kind);
        if kind.is_int() {
            kind = self.scalar_kind();
        }
        let x = self.convert(a, kind);
        if let Some(n) = whole
            && ((2..=4).contains(&n) || (kind >= Kind::C32 && (0..=8).contains(&n)))
        {
            if n == 4 && kind < Kind::C32 {
                return self.product(&x, 2, kind).and_then(|square| self.product(&square, 2, kind));
            }
            return self.product(&x, n, kind);
        }
        if kind >= Kind::C32 {
            refuse!("a power of a complex number");
        }
        let y = self.convert(b, kind);
        let re = self.op(Op::Pow, &[x.re, y.re]);
        Ok(Num::new(kind, re))
    }

    fn product(&mut self, base: &Num, n: i64, kind: Kind) -> Low<Num> {
        if n > 64 {
            refuse!("a power with the exponent {n}");
        }
        let one = self.int(1);
        let mut result = self.convert(&one, kind);
        for i in 0..n {
            result = if i == 0 { *base } else { self.binary(Op2::Mul, &result, base, false)? };
        }
        Ok(result)
    }

    pub fn negate(&mut self, n: &Num) -> Low<Num> {
        let n = self.plain(n);
        if self.host && n.kind.is_int() {
            let zero = if n.early { self.int(0) } else { self.zero(n.kind) };
            return self.binary(Op2::Sub, &zero, &n, false);
        }
        let re = self.op(Op::Neg, &[n.re]);
        let (im, early) = (n.im.map(|im| self.op(Op::Neg, &[im])), n.early);
        // The smallest integer has no opposite.
        let range = n.range.and_then(|r| Bounds::of(Op::Neg, 32, r, r)).filter(|_| n.kind == Kind::Int);
        Ok(Num { im, range, early, ..Num::new(n.kind, re) })
    }

    /// A number as it is stored in an element of an integer type; a float is truncated, which the user is told.
    pub fn fit(&mut self, n: &Num, kind: IntKind, fit: Fit, name: &str, span: Option<Span>) -> Low<kir::Value> {
        if !n.kind.is_int() && n.im.is_none() {
            self.warn_int(name, span);
        }
        self.fitted(n, kind, fit)
    }

    /// The bits of a number as an integer type has them.
    pub fn fitted(&mut self, n: &Num, kind: IntKind, fit: Fit) -> Low<kir::Value> {
        if n.im.is_some() {
            refuse!("a complex number is stored as an integer");
        }
        let (low, high) = kind.range();
        let wide = kind == IntKind::I64;
        let target = if wide { Kind::Wide } else { Kind::Int };
        if !n.kind.is_int() {
            match fit {
                Fit::Unchecked => {}
                Fit::Checked => self.float_fits(n, low as f64, high as f64),
                Fit::Sat => return Ok(self.clipped(n, target, (low, high))),
            }
        }
        if kind == IntKind::U32 && n.kind != Kind::Wide {
            let n = self.plain(n);
            return Ok(if n.kind.is_int() { self.unsigned_of(&n, fit) } else { self.unsigned_bits(&n) });
        }
        let from = *n;
        let v =
            if from.kind == Kind::Wide && !wide && fit != Fit::Unchecked { from } else { self.convert(&from, target) };
        let inside = v.range.is_some_and(|r| i128::from(r.low) >= low && i128::from(r.high) <= high);
        if wide || inside || (v.kind == Kind::Int && kind.bits() == 32) || fit == Fit::Unchecked {
            return Ok(self.convert(&v, target).re);
        }
        let bound = |s: &mut Self, x: i128| {
            let c = if v.kind == Kind::Wide { Const::i64(x as i64) } else { Const::i32(x as i32) };
            s.b.constant(c)
        };
        let (low, high) = (bound(self, low), bound(self, high));
        if fit == Fit::Sat {
            let below = self.op(Op::Min, &[v.re, high]);
            let re = self.op(Op::Max, &[below, low]);
            return Ok(self.convert(&Num::new(v.kind, re), target).re);
        }
        let (a, b) = (self.op(Op::CmpGe, &[v.re, low]), self.op(Op::CmpLe, &[v.re, high]));
        let ok = self.op(Op::And, &[a, b]);
        self.require(ok, "a value does not fit");
        Ok(self.convert(&v, target).re)
    }

    fn float_fits(&mut self, n: &Num, low: f64, high: f64) {
        let (low, high) = (self.float(n.kind, low - 1.0), self.float(n.kind, high + 1.0));
        let (a, b) = (self.op(Op::CmpGt, &[n.re, low]), self.op(Op::CmpLt, &[n.re, high]));
        let ok = self.op(Op::And, &[a, b]);
        self.require(ok, "a value does not fit");
    }

    /// A float as an integer, the bound that is next if it lies outside; 0 if it is no number.
    fn clipped(&mut self, n: &Num, target: Kind, (low, high): (i128, i128)) -> kir::Value {
        if high <= 1 << 16 {
            // Both bounds are floats. In this order of operands what is no number stays so, and converts to 0.
            let (low, high) = (self.float(n.kind, low as f64), self.float(n.kind, high as f64));
            let below = self.op(Op::Min, &[n.re, high]);
            let re = self.op(Op::Max, &[low, below]);
            return self.convert(&Num::new(n.kind, re), target).re;
        }
        let (first, beyond) = (self.float(n.kind, low as f64), self.float(n.kind, (high + 1) as f64));
        let constant = |s: &mut Self, x: i128| {
            let c = if target == Kind::Wide { Const::i64(x as i64) } else { Const::i32(x as i32) };
            s.b.constant(c)
        };
        let unsigned = target == Kind::Int && high > i32::MAX.into();
        let (low, high) = (constant(self, low), constant(self, high));
        let (below, above) = (self.op(Op::CmpLe, &[n.re, first]), self.op(Op::CmpGe, &[n.re, beyond]));
        let whole = if unsigned { self.unsigned_bits(n) } else { self.convert(n, target).re };
        let re = self.op(Op::Select, &[below, low, whole]);
        self.op(Op::Select, &[above, high, re])
    }

    pub fn warn_int(&mut self, name: &str, span: Option<Span>) {
        if let Some(span) = span.or(self.span) {
            self.warnings.push((span, name.into()));
        }
    }

    /// The element of a row that a sum of a column and a number of columns is in.
    fn wide_sum(&mut self, op: Op2, x: &Num, y: &Num) -> Option<kir::Value> {
        let count = self.pixels.as_ref()?.count;
        let (wide, other) = match (x.wide, y.wide) {
            (Some(wide), None) => (wide, y.re),
            (None, Some(wide)) if op == Op2::Add => (wide, x.re),
            _ => return None,
        };
        let count = self.b.i32(count as i32);
        let distance = self.op(Op::Mul, &[other, count]);
        Some(self.op(if op == Op2::Add { Op::Add } else { Op::Sub }, &[wide, distance]))
    }

    /// One of two numbers.
    pub fn select(&mut self, c: kir::Value, a: &Num, b: &Num) -> Num {
        if self.elem(a.re) == Elem::Bool && self.elem(b.re) == Elem::Bool {
            let re = self.op(Op::Select, &[c, a.re, b.re]);
            return self.truth(re);
        }
        let kind = a.kind.promote(b.kind);
        let (x, y) = (self.convert(a, kind), self.convert(b, kind));
        let re = self.op(Op::Select, &[c, x.re, y.re]);
        let range = x.range.zip(y.range).map(|(p, q)| p.join(q));
        let im = x.im.zip(y.im).map(|(p, q)| self.op(Op::Select, &[c, p, q]));
        let mixed = a.kind.is_int() != b.kind.is_int() || a.mixed || b.mixed;
        let early = a.early || b.early || self.host && super::wide_sum::two_widths(a, b);
        Num { im, range, mixed, early, ..Num::new(kind, re) }
    }

    /// The real kind that functions such as `sin` compute in.
    pub fn float_of(&mut self, n: &Num) -> Num {
        let kind = if n.kind.is_int() { self.scalar_kind() } else { real_kind(n.kind) };
        self.convert(n, kind)
    }
}

fn comparison(op: Op2) -> Op {
    match op {
        Op2::Lt => Op::CmpLt,
        Op2::Le => Op::CmpLe,
        Op2::Gt => Op::CmpGt,
        Op2::Ge => Op::CmpGe,
        Op2::Ne => Op::CmpNe,
        _ => Op::CmpEq,
    }
}

/// Where the result of an operator on `int`s lies if the operands lie in these bounds; nothing if it may not fit.
pub(super) fn interval(op: Op2, x: Option<Bounds>, y: Option<Bounds>) -> Option<Bounds> {
    let (x, y) = (x?, y?);
    let op = match op {
        Op2::Add => Op::Add,
        Op2::Sub => Op::Sub,
        Op2::Mul => Op::Mul,
        Op2::Max => Op::Max,
        Op2::Min => Op::Min,
        Op2::Mod => Op::Mod,
        Op2::Rem => Op::Rem,
        Op2::And => Op::And,
        Op2::Or => Op::Or,
        Op2::Xor => Op::Xor,
        // The language shifts by any number; the rules are for those below the width.
        Op2::Shl | Op2::Shr if !y.within(0, 31) || !x.is_natural() => return None,
        Op2::Shl => return x.times(Bounds::new(1 << y.low, 1 << y.high)).fitting(32),
        Op2::Shr => return Some(Bounds::new(x.low >> y.high, x.high >> y.low)),
        _ => return None,
    };
    Bounds::of(op, 32, x, y)
}
