//! Quotients of integers that are rounded at once ([`quadra_quasar_hir::quotient`]).

use super::state::Lower;
use super::value::{Num, Small, Val};
use super::{Low, refuse};
use quadra_kir::{Bounds, Const, Op};
use quadra_quasar_hir::meaning::Meaning;
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_hir::quotient::{Quotient, Round, divided, quotient};
use quadra_quasar_syntax::ast::{Arg, BinaryOp, Expr, ExprKind};
use quadra_quasar_vm::arith::Kind;
use quadra_quasar_vm::builtins::{library, name_of};

/// The greatest whole number up to which single precision has all.
const EXACT: i64 = 1 << 24;

impl Lower<'_> {
    /// A call that rounds a quotient; nothing if it is none.
    pub fn rounded_quotient(&mut self, callee: &Expr, args: &[Arg]) -> Low<Option<Val>> {
        let mut failed = None;
        let found = quotient(callee, args, library(), &mut |name| match self.is_language(name) {
            Ok(yes) => yes,
            Err(refusal) => {
                failed = Some(refusal);
                false
            }
        });
        if let Some(refusal) = failed {
            return Err(refusal);
        }
        let Some(q) = found else { return Ok(None) };
        let (x, y) = (self.expr(q.a)?, self.expr(q.b)?);
        self.divide_rounded(&q, &x, &y).map(Some)
    }

    fn divide_rounded(&mut self, q: &Quotient<'_>, x: &Val, y: &Val) -> Low<Val> {
        match (x, y) {
            (Val::Num(x), Val::Num(y)) => return self.quotient(x, y, q.round, q.whole).map(Val::Num),
            (Val::Small(s), Val::Num(y)) => {
                let items = s.items.iter().map(|x| self.quotient(x, y, q.round, q.whole)).collect::<Low<_>>()?;
                return Ok(Val::Small(Small { items, mask: false, ..s.clone() }));
            }
            (Val::Num(x), Val::Small(s)) => {
                let items = s.items.iter().map(|y| self.quotient(x, y, q.round, q.whole)).collect::<Low<_>>()?;
                return Ok(Val::Small(Small { items, mask: false, ..s.clone() }));
            }
            (Val::Small(s), Val::Small(t)) if s.shape == t.shape && self.is_elementwise(q.quotient, s) => {
                let pairs = s.items.iter().zip(&t.items);
                let items = pairs.map(|(x, y)| self.quotient(x, y, q.round, q.whole)).collect::<Low<_>>()?;
                return Ok(Val::Small(Small { items, mask: false, ..s.clone() }));
            }
            _ => {}
        }
        let ExprKind::Binary(op, _, right) = &q.quotient.kind else { refuse!("such a quotient") };
        let v = self.binary_operator(*op, x, y, right)?;
        let v = if q.round == Round::Fix && q.whole { v } else { self.elementary_of(Meaning::Map(q.round.op()), v)? };
        match q.whole {
            true if self.is_long(&v) => self.map_long(&v, |l, n| l.whole_number(n)),
            true => self.map(&v, &mut |l, n| l.whole_number(n)),
            false => Ok(v),
        }
    }

    /// `/` of vectors, and `./` of anything, goes element by element.
    fn is_elementwise(&self, quotient: &Expr, s: &Small) -> bool {
        matches!(quotient.kind, ExprKind::Binary(BinaryOp::ElemDiv, ..)) || s.is_vector()
    }

    fn elementary_of(&mut self, meaning: Meaning, v: Val) -> Low<Val> {
        match self.elementary(meaning, &[v])? {
            Some(v) => Ok(v),
            None => refuse!(Call: "it calls '{}'", name_of(meaning)),
        }
    }

    /// The quotient of two whole numbers, which may be kept as floats, as an integer, of 64 bits if one of them has. What is not
    /// whole is an error of the host's.
    pub fn quotient_of_whole(&mut self, x: &Num, y: &Num, round: Round) -> Low<Num> {
        let (x, y) = (self.whole_operand(x)?, self.whole_operand(y)?);
        self.nonzero(&y);
        if self.host && (x.kind == Kind::Wide || y.kind == Kind::Wide) {
            let (x, y) = (self.convert(&x, Kind::Wide), self.convert(&y, Kind::Wide));
            return Ok(self.integer_quotient(&x, &y, round));
        }
        self.quotient(&x, &y, round, true)
    }

    fn whole_operand(&mut self, n: &Num) -> Low<Num> {
        if n.kind.is_int() {
            return Ok(*n);
        }
        let whole = self.whole_number(n)?;
        let back = self.convert(&whole, n.kind);
        let same = self.op(Op::CmpEq, &[back.re, n.re]);
        self.require(same, "a whole number is needed");
        Ok(whole)
    }

    /// `round(x / y)`, as an integer if it is to be `whole`.
    pub fn quotient(&mut self, x: &Num, y: &Num, round: Round, whole: bool) -> Low<Num> {
        if x.kind != Kind::Int || y.kind != Kind::Int {
            if self.host && x.kind.is_int() && y.kind.is_int() {
                return self.long_quotient(x, y, round, whole);
            }
            let v = self.binary(Op2::Div, x, y, false)?;
            let v = if whole && round == Round::Fix { v } else { self.unary_function(Meaning::Map(round.op()), &v)? };
            return if whole { self.whole_number(&v) } else { Ok(v) };
        }
        let (x, y) = (self.plain(x), self.plain(y));
        let known = self.known_int(&y).filter(|d| !matches!(d, 0 | -1));
        let range = self.quotient_range(&x, known, round);
        if let (Some(d), true) = (known, whole || range.is_some_and(|r| r.within(-EXACT, EXACT))) {
            let n = self.divide_by(&x, d, round)?;
            let n = Num { range, ..n };
            return Ok(if whole { n } else { Num { range: None, ..self.convert(&n, self.scalar_kind()) } });
        }
        let n = if self.doubles { self.wide_quotient(&x, &y, round) } else { self.integer_quotient(&x, &y, round) };
        if whole {
            return Ok(Num { range, ..self.whole_number(&n)? });
        }
        let single = self.convert(&n, self.scalar_kind());
        if self.host && single.kind == Kind::F32 {
            // What single precision does not have is of double precision on the host.
            let back = self.convert(&single, n.kind);
            let same = self.op(Op::CmpEq, &[back.re, n.re]);
            let fine = if n.kind == Kind::F64 {
                let nan = self.op(Op::CmpNe, &[n.re, n.re]);
                self.op(Op::Or, &[same, nan])
            } else {
                same
            };
            self.require(fine, "a quotient has more digits than single precision");
        }
        Ok(Num { range: None, ..single })
    }

    /// Between what a quotient by a positive constant lies.
    fn quotient_range(&mut self, x: &Num, known: Option<i64>, round: Round) -> Option<Bounds> {
        let d = known.filter(|d| *d > 0)?;
        let Bounds { low, high } = self.bounds(x).unwrap_or(Bounds::ANY);
        let q = |v: i64| divided(v.into(), d.into(), round) as i64;
        Some(Bounds::new(q(low), q(high)))
    }

    /// A quotient by a constant.
    fn divide_by(&mut self, x: &Num, d: i64, round: Round) -> Low<Num> {
        let positive = self.bounds(x).is_some_and(|r| r.is_natural());
        let floors = round == Round::Floor || round == Round::Fix && positive;
        if floors && d > 0 && (d as u64).is_power_of_two() {
            let bits = self.b.i32(d.trailing_zeros() as i32);
            return Ok(Num::new(Kind::Int, self.op(Op::Asr, &[x.re, bits])));
        }
        let round = if positive && d > 0 && round == Round::Floor { Round::Fix } else { round };
        let d = self.int(d);
        Ok(self.integer_quotient(x, &d, round))
    }

    /// In double precision, which has the quotients of all integers of 32 bits but for roundings that matter to nobody. By 0 it is
    /// infinite or no number, as that of floats.
    fn wide_quotient(&mut self, x: &Num, y: &Num, round: Round) -> Num {
        let (x, y) = (self.convert(x, Kind::F64), self.convert(y, Kind::F64));
        let q = self.op(Op::Div, &[x.re, y.re]);
        let op = match round {
            Round::Fix => Op::Trunc,
            Round::Floor => Op::Floor,
            Round::Ceil => Op::Ceil,
            Round::Nearest => Op::Round,
        };
        Num::new(Kind::F64, self.op(op, &[q]))
    }

    /// A quotient of which an operand has 64 bits.
    fn long_quotient(&mut self, x: &Num, y: &Num, round: Round, whole: bool) -> Low<Num> {
        let (x, y) = (self.convert(x, Kind::Wide), self.convert(y, Kind::Wide));
        let q = self.integer_quotient(&x, &y, round);
        let n = self.convert(&q, if whole { Kind::Int } else { self.scalar_kind() });
        // What `int` or `scalar` does not have is the host's matter.
        let back = self.convert(&Num { range: None, ..n }, Kind::Wide);
        let same = self.op(Op::CmpEq, &[back.re, q.re]);
        self.require(same, "a quotient does not fit");
        Ok(Num { range: None, ..n })
    }

    /// In integers; a divisor 0 and the one quotient that does not fit are left to the host.
    fn integer_quotient(&mut self, x: &Num, y: &Num, round: Round) -> Num {
        let kind = x.kind;
        let [zero, one, minus] = [0, 1, -1].map(|v| self.whole_constant(kind, v));
        if self.known_int(y).is_none_or(|d| d == 0) {
            let other = self.op(Op::CmpNe, &[y.re, zero]);
            self.require(other, "a division by 0");
        }
        if self.known_int(y).is_none_or(|d| d == -1) {
            let least = self.whole_constant(kind, if kind == Kind::Wide { i64::MIN } else { i32::MIN.into() });
            let (a, b) = (self.op(Op::CmpNe, &[x.re, least]), self.op(Op::CmpNe, &[y.re, minus]));
            let fits = self.op(Op::Or, &[a, b]);
            self.require(fits, "a quotient does not fit in int");
        }
        let q = self.op(Op::Div, &[x.re, y.re]);
        if round == Round::Fix {
            return Num::new(kind, q);
        }
        let product = self.op(Op::Mul, &[q, y.re]);
        let rest = self.op(Op::Sub, &[x.re, product]);
        let signs = self.op(Op::Xor, &[x.re, y.re]);
        let opposite = self.op(Op::CmpLt, &[signs, zero]);
        let some = self.op(Op::CmpNe, &[rest, zero]);
        let (step, when) = match round {
            Round::Floor => (Op::Sub, self.op(Op::And, &[some, opposite])),
            Round::Ceil => {
                let same = self.op(Op::Not, &[opposite]);
                (Op::Add, self.op(Op::And, &[some, same]))
            }
            _ => {
                // Away from 0 by one if the rest is at least half of the divisor; of both, the negative of the size always fits.
                let (r, d) = (self.below_zero(zero, rest), self.below_zero(zero, y.re));
                let left = self.op(Op::Sub, &[d, r]);
                let half = self.op(Op::CmpLe, &[r, left]);
                let by = self.op(Op::Select, &[opposite, minus, one]);
                let next = self.op(Op::Add, &[q, by]);
                return Num::new(kind, self.op(Op::Select, &[half, next, q]));
            }
        };
        let next = self.op(step, &[q, one]);
        Num::new(kind, self.op(Op::Select, &[when, next, q]))
    }

    /// A constant integer.
    pub(super) fn whole_constant(&mut self, kind: Kind, v: i64) -> quadra_kir::Value {
        self.b.constant(if kind == Kind::Wide { Const::i64(v) } else { Const::i32(v as i32) })
    }

    /// The negative of the size of an integer.
    fn below_zero(&mut self, zero: quadra_kir::Value, v: quadra_kir::Value) -> quadra_kir::Value {
        let minus = self.op(Op::Sub, &[zero, v]);
        self.op(Op::Min, &[v, minus])
    }
}
