//! Numbers that are integers in some cases and floats in others. On the host a variable has the type of what it holds, so that `y = 0` in
//! one branch and `y = x` in the other leave an integer or a float, and what is computed from it follows. A kernel holds both numbers
//! and which of them counts; that is computed with both, and where the result is a float either way, one is left.

use super::state::{Lower, Slot};
use super::value::{Either, Num, Val};
use super::{Low, refuse};
use quadra_kir::{self as kir, Elem, Op};
use quadra_quasar_hir::meaning::Meaning;
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_syntax::ast::Text;
use quadra_quasar_vm::arith::Kind;

impl Lower<'_> {
    /// Whether a variable of this name holds both in one.
    fn holds_either(&mut self, name: &Text) -> bool {
        let wanted = self.kinds.either.contains(name);
        let frame = self.frame();
        let holds = matches!(frame.vars.get(name), Some(Slot::Either(..)));
        let declared = frame.declared.contains_key(name);
        self.host && (holds || (wanted && !declared))
    }

    /// Notes that a variable holds what may be an integer on the host, which changes in place must not happen to.
    pub fn note_early(&mut self, name: &Text, v: &Val) -> Low<()> {
        if !self.host || !matches!(v, Val::Num(Num { early: true, .. })) || self.frame().declared.contains_key(name) {
            return Ok(());
        }
        if matches!(v, Val::Num(n) if super::wide_sum::maybe_int(n)) {
            return self.note_wide(name);
        }
        self.kinds.mixed.insert(name.clone());
        if self.kinds.changed.contains(name) || self.holds_either(name) {
            return self.look_exactly(name);
        }
        Ok(())
    }

    /// Refuses a number of which it matters whether it is an integer on the host. The next attempt takes none for a float.
    pub fn look_exactly<T>(&mut self, name: &str) -> Low<T> {
        self.kinds.wanted.exact = true;
        refuse!(Retyped: "'{name}' changes its type")
    }

    /// The value of a variable with a note whether it may be an integer on the host.
    pub fn noted(&mut self, name: &Text, v: Val) -> Val {
        let early = self.host
            && (self.kinds.mixed.contains(name) || (self.frames.len() == 1 && self.kinds.floats.contains(name)));
        match v {
            Val::Num(n) if early && matches!(n.kind, Kind::F32 | Kind::F64) => Val::Num(Num { early, ..n }),
            Val::Num(n) if self.host && n.kind == Kind::Wide && self.kinds.wides.contains(name) => {
                Val::Num(Num { early: true, ..n })
            }
            other => other,
        }
    }

    /// What a variable is given: both in one if it holds such numbers.
    pub fn for_variable(&mut self, name: &Text, v: Val) -> Val {
        if self.holds_either(name) { self.made_either(v) } else { v }
    }

    /// A number as an integer or a float, which it is known to be.
    fn made_either(&mut self, v: Val) -> Val {
        match v {
            Val::Num(n) if matches!(n.kind, Kind::F32 | Kind::F64) => {
                let (int, whole) = (self.int(0), self.known_bool(false).re);
                Val::Either(Either { whole, int, float: n })
            }
            Val::Num(n) if n.kind == Kind::Int => {
                let (int, kind) = (self.plain(&n), self.scalar_kind());
                let (float, whole) = (self.convert(&int, kind), self.known_bool(true).re);
                Val::Either(Either { whole, int: Num::new(Kind::Int, int.re), float: Num::new(kind, float.re) })
            }
            other => other,
        }
    }

    /// One number where the first counts if `whole` holds and the second otherwise.
    fn joined(&mut self, whole: kir::Value, a: &Num, b: &Num) -> Low<Val> {
        let truth = |l: &mut Self, n: &Num| l.elem(n.re) == Elem::Bool;
        if a.kind == b.kind && (a.kind != Kind::Int || truth(self, a) == truth(self, b)) {
            return Ok(Val::Num(self.select(whole, a, b)));
        }
        match (a.kind, b.kind) {
            (Kind::Int, Kind::F32 | Kind::F64) => {
                let int = Num::new(Kind::Int, self.plain(a).re);
                let converted = self.convert(&int, b.kind);
                let float = Num::new(b.kind, self.op(Op::Select, &[whole, converted.re, b.re]));
                Ok(Val::Either(Either { whole, int, float }))
            }
            (Kind::Int, Kind::Int) => {
                let (p, q) = (self.plain(a), self.plain(b));
                Ok(Val::Num(self.select(whole, &p, &q)))
            }
            _ => refuse!(Retyped: "a number changes its type"),
        }
    }

    /// One of two numbers, if they are an integer and a float or one of them is both.
    pub fn choose_either(&mut self, c: kir::Value, a: &Val, b: &Val) -> Option<Val> {
        let real = |v: &Val| matches!(v, Val::Num(n) if matches!(n.kind, Kind::F32 | Kind::F64));
        let int = |v: &Val| matches!(v, Val::Num(n) if n.kind == Kind::Int);
        let either = |v: &Val| matches!(v, Val::Either(_));
        let one = (int(a) && real(b)) || (real(a) && int(b));
        let both = (either(a) && (either(b) || int(b) || real(b))) || (either(b) && (int(a) || real(a)));
        if !self.host || !(one || both) {
            return None;
        }
        let (Val::Either(x), Val::Either(y)) = (self.made_either(a.clone()), self.made_either(b.clone())) else {
            return None;
        };
        let kind = x.float.kind.promote(y.float.kind);
        let floats = [self.convert(&x.float, kind), self.convert(&y.float, kind)];
        let whole = self.op(Op::Select, &[c, x.whole, y.whole]);
        let int = self.op(Op::Select, &[c, x.int.re, y.int.re]);
        let float = self.op(Op::Select, &[c, floats[0].re, floats[1].re]);
        Some(Val::Either(Either { whole, int: Num::new(Kind::Int, int), float: Num::new(kind, float) }))
    }

    /// The float; an integer that floats do not have is a fault: the host then runs the loop.
    pub fn as_exact_float(&mut self, e: &Either) -> Num {
        let int = Num { range: None, ..e.int };
        let (zero, int) = (self.int(0), self.plain(&int));
        let counts = self.select(e.whole, &int, &zero);
        self.require_exact(e.float.kind, &counts);
        e.float
    }

    /// A function of one number.
    pub fn map_either(&mut self, e: &Either, f: &mut dyn FnMut(&mut Self, &Num) -> Low<Num>) -> Low<Val> {
        let (a, b) = (f(self, &e.int)?, f(self, &e.float)?);
        self.joined(e.whole, &a, &b)
    }

    /// A function of one number that the language has: most are computed on floats.
    pub fn function_of_either(&mut self, meaning: Meaning, e: &Either) -> Low<Val> {
        match meaning {
            Meaning::Map(op) if op.keeps_int() => self.map_either(e, &mut |l, n| l.unary_function(meaning, n)),
            _ => self.unary_function(meaning, &e.float).map(Val::Num),
        }
    }

    /// An operator, if an operand is such a number.
    pub fn operate_either(&mut self, op: Op2, matrix: bool, (a, b): (&Val, &Val), literal: bool) -> Low<Option<Val>> {
        let whole = |n: &Num| n.kind == Kind::Int;
        Ok(Some(match (a, b) {
            (Val::Either(x), Val::Either(y)) => {
                let both = self.op(Op::And, &[x.whole, y.whole]);
                self.both(op, both, [&x.int, &y.int], [&x.float, &y.float], literal)?
            }
            (Val::Either(x), Val::Num(n)) if whole(n) => self.both(op, x.whole, [&x.int, n], [&x.float, n], literal)?,
            (Val::Num(n), Val::Either(x)) if whole(n) => self.both(op, x.whole, [n, &x.int], [n, &x.float], literal)?,
            (Val::Either(x), other) => {
                self.has_floats(other)?;
                self.operate(op, matrix, &Val::Num(x.float), other, literal)?
            }
            (other, Val::Either(x)) => {
                self.has_floats(other)?;
                self.operate(op, matrix, other, &Val::Num(x.float), literal)?
            }
            _ => return Ok(None),
        }))
    }

    /// An operator on the integers where they count, and on the floats otherwise.
    fn both(&mut self, op: Op2, whole: kir::Value, [x, y]: [&Num; 2], [p, q]: [&Num; 2], literal: bool) -> Low<Val> {
        if op.gives_float() {
            return self.binary(op, p, q, literal).map(Val::Num);
        }
        let mut y = *y;
        if matches!(op, Op2::Mod | Op2::Rem) && self.known_int(&y).is_none_or(|k| k == 0) {
            // What does not count must not be the 0 that stops the launch.
            let one = self.int(1);
            y = self.select(whole, &y, &one);
        }
        let (ints, floats) = (self.binary(op, x, &y, literal)?, self.binary(op, p, q, literal)?);
        self.joined(whole, &ints, &floats)
    }

    /// The floats that stand for it behind a loop.
    pub fn parts_of(&mut self, e: &Either) -> Vec<Num> {
        let kind = e.float.kind;
        let (sixteen, low) = (self.b.i32(16), self.b.i32(0xffff));
        let int = self.plain(&e.int).re;
        let halves = [self.op(Op::Asr, &[int, sixteen]), self.op(Op::And, &[int, low])];
        let (one, zero) = (self.b.i32(1), self.b.i32(0));
        let whole = self.op(Op::Select, &[e.whole, one, zero]);
        let mut parts = vec![e.float];
        for part in [halves[0], halves[1], whole] {
            parts.push(self.convert(&Num::new(Kind::Int, part), kind));
        }
        parts
    }

    /// Refuses an operand beside which an integer would not count as a float.
    fn has_floats(&mut self, v: &Val) -> Low<()> {
        let fine = match v {
            Val::Num(n) | Val::Channel(n) => !n.kind.is_int(),
            Val::Small(s) => s.items.iter().all(|n| !n.kind.is_int()),
            Val::Array(a) => !a.element.kind().is_int(),
            _ => false,
        };
        if !fine {
            refuse!(Retyped: "a number that changes its type is used beside {}", v.what());
        }
        Ok(())
    }

    /// The number that is stored in elements of this kind.
    pub fn element_value(&mut self, v: Val, kind: Kind) -> Val {
        match v {
            Val::Either(e) if kind.is_int() => Val::Num(self.as_exact_float(&e)),
            Val::Either(e) => Val::Num(e.float),
            other => other,
        }
    }

    /// `old op= e` where one of both is such a number; integers stay what they are.
    pub fn compound_either(
        &mut self,
        (old, e): (&Val, &Val),
        f: &mut dyn FnMut(&mut Self, &Val, &Val) -> Low<Val>,
    ) -> Low<Option<Val>> {
        let (whole, results) = match (old, e) {
            (Val::Either(x), _) => {
                let (int, float) = (Val::Num(x.int), Val::Num(x.float));
                let of_int = match self.compound_either((&int, e), f)? {
                    Some(v) => v,
                    None => f(self, &int, e)?,
                };
                (x.whole, [of_int, f(self, &float, e)?])
            }
            (Val::Num(n), Val::Either(y)) if n.kind.is_int() => {
                let (int, float) = (Val::Num(y.int), Val::Num(y.float));
                (y.whole, [f(self, old, &int)?, f(self, old, &float)?])
            }
            _ => return Ok(None),
        };
        match &results {
            [Val::Num(a), Val::Num(b)] => self.joined(whole, a, b).map(Some),
            _ => refuse!(Retyped: "a number changes its type"),
        }
    }
}
