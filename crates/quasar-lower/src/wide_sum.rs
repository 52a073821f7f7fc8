//! Sums of 64-bit integers whose terms iterations in parallel add up.
//!
//! In order, such a sum has to fit after every term, and not only in the end. Parts of it that items or lanes add up on their own
//! say nothing of that, unless they are small: where each stays within 2^62 divided by the number of items at all times, and the
//! variable began within 2^62, every sum of the first terms is the beginning and one sum of each part, and fits. So a part that
//! leaves these bounds ends the launch, and the host adds in order.

use super::state::Lower;
use super::value::{Num, Small, Val};
use super::wide::MOST;
use super::{Low, refuse};
use quadra_kir::{self as kir, Const, Op};
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_syntax::ast::Text;
use quadra_quasar_vm::arith::Kind;

/// Whether a number of 64 bits may be an `int` on the host.
pub(super) fn maybe_int(n: &Num) -> bool {
    n.kind == Kind::Wide && n.early
}

/// Whether one of two integers has 64 bits and the other is an `int`.
pub(super) fn two_widths(a: &Num, b: &Num) -> bool {
    a.kind.is_int() && b.kind.is_int() && a.kind != b.kind
}

impl Lower<'_> {
    /// The result of an operator, with a note whether it may be an `int` on the host though it is a float or has 64 bits here.
    pub fn early_result(&mut self, op: Op2, a: &Num, b: &Num, result: Num) -> Low<Num> {
        if a.kind == Kind::Wide || b.kind == Kind::Wide {
            return self.of_two_widths(op, a, b, result);
        }
        let int = |n: &Num| n.early || n.kind.is_int();
        let early = int(a) && int(b) && (a.early || b.early) && !op.gives_float() && !op.is_comparison();
        Ok(Num { early, ..result })
    }

    /// What an operator gives one of whose operands has 64 bits. Where both may be an `int` on the host, that is one, too, and has to
    /// fit.
    fn of_two_widths(&mut self, op: Op2, a: &Num, b: &Num, result: Num) -> Low<Num> {
        if (a.early && !a.kind.is_int()) || (b.early && !b.kind.is_int()) {
            // Of integers floats would lose digits.
            return self.look_exactly("a number");
        }
        let narrow = |n: &Num| n.kind == Kind::Int || maybe_int(n);
        let early = self.host && result.kind == Kind::Wide && narrow(a) && narrow(b);
        if !early {
            return Ok(Num { early: false, ..result });
        }
        match op {
            Op2::Add | Op2::Sub | Op2::Mul if result.range.is_none() => {
                // An operand that no `int` holds is none, and what comes of it has 64 bits on the host, too.
                let (x, y) = (self.in_an_int(a), self.in_an_int(b));
                let both = self.op(Op::And, &[x, y]);
                let fits = self.in_an_int(&result);
                let other = self.op(Op::Not, &[both]);
                let ok = self.op(Op::Or, &[fits, other]);
                self.require(ok, "integer overflow");
            }
            // Bits beyond the 31st are lost or not.
            Op2::Shl | Op2::Shr => return self.look_exactly("a number"),
            _ => {}
        }
        Ok(Num { early, ..result })
    }

    fn in_an_int(&mut self, n: &Num) -> kir::Value {
        let n = self.convert(n, Kind::Wide);
        let (low, high) = (self.whole_constant(n.kind, i32::MIN.into()), self.whole_constant(n.kind, i32::MAX.into()));
        let (a, b) = (self.op(Op::CmpGe, &[n.re, low]), self.op(Op::CmpLe, &[n.re, high]));
        self.op(Op::And, &[a, b])
    }

    /// What a variable is given that has 64 bits from the start. Of one that somebody looks at, it matters whether it is an `int`.
    pub fn early_wide(&mut self, name: &Text, v: Val) -> Low<Val> {
        let n = match v {
            Val::Num(n) => n,
            Val::Small(Small { items, .. }) if items.iter().any(maybe_int) => return self.look_exactly(name),
            Val::Channel(n) if maybe_int(&n) => return self.look_exactly(name),
            other => return Ok(other),
        };
        if !self.host || !self.kinds.wides.contains(name) || self.frame().declared.contains_key(name) {
            return Ok(Val::Num(n));
        }
        if (n.kind == Kind::Int || maybe_int(&n)) && self.is_seen(name) {
            refuse!("'{name}' holds integers of 32 and of 64 bits");
        }
        Ok(Val::Num(if n.kind == Kind::Int { Num { early: true, ..self.convert(&n, Kind::Wide) } } else { n }))
    }

    /// A variable that is given what may be an `int` on the host has 64 bits from the start, so that this is known wherever it is read.
    pub fn note_wide(&mut self, name: &Text) -> Low<()> {
        if self.kinds.wides.contains(name) {
            return Ok(());
        }
        self.kinds.wanted.wide = Some(name.clone());
        refuse!("'{name}' holds integers of 32 and of 64 bits")
    }

    /// From here on, whatever is assigned to a variable is tested.
    pub fn begin_wide_sum(&mut self, name: &Text) {
        let most = self.b.constant(Const::i64(MOST));
        let mut items = self.b.constant(Const::i64(1));
        for axis in 0..self.b.kernel().over {
            let n = self.b.axis(Op::Extent, u32::from(axis));
            let n = self.op(Op::ToI64, &[n]);
            items = self.op(Op::Mul, &[items, n]);
        }
        let each = self.op(Op::Div, &[most, items]);
        self.wide_sums.push((name.clone(), each));
    }

    /// Stops the launch where a part of a sum leaves its bounds.
    pub fn stays_near(&mut self, name: &Text, v: &Val) -> Low<()> {
        let each = self.wide_sums.iter().find(|s| s.0 == *name).map(|s| s.1);
        let (Some(each), Val::Num(n)) = (each, v) else { return Ok(()) };
        if n.kind != Kind::Wide {
            refuse!(Retyped: "'{name}' changes its type");
        }
        let above = self.op(Op::Add, &[n.re, each]);
        let twice = self.op(Op::Add, &[each, each]);
        let near = self.op(Op::CmpLtU, &[above, twice]);
        self.require(near, "integer overflow");
        Ok(())
    }
}
