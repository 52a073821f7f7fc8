//! What becomes of arrays of unknown length: reductions and stores are loops over their elements.

use super::long::Part;
use super::state::Lower;
use super::value::{Length, Long, Num, Val};
use super::{Low, refuse};
use quadra_base::Span;
use quadra_kir::{self as kir, Op};
use quadra_quasar_hir::meaning::Meaning;
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_hir::types::Access;
use quadra_quasar_syntax::ast::{BinaryOp, Expr, Text};
use quadra_quasar_vm::arith::Kind;

impl Lower<'_> {
    /// Runs `body` for every element of a shape, the last dimension fastest.
    pub(super) fn each(&mut self, shape: &[Length], body: &mut dyn FnMut(&mut Self, &[Num]) -> Low<()>) -> Low<()> {
        let (zero, one) = (self.b.i32(0), self.b.i32(1));
        let (mut index, mut open) = (Vec::new(), 0);
        for n in shape {
            if n.known() == Some(1) {
                index.push(self.int(0));
                continue;
            }
            let end = self.length(*n);
            let i = self.b.begin_for(zero, end, one);
            let most = (self.length_range(*n).high - 1).max(0);
            index.push(Num { range: Some(kir::Bounds::new(0, most)), ..Num::new(Kind::Int, i) });
            open += 1;
        }
        self.depth += open;
        body(self, &index)?;
        self.depth -= open;
        (0..open).for_each(|_| self.b.end());
        Ok(())
    }

    /// The kind of the elements, found out in code that never runs.
    fn kind_of_long(&mut self, x: &Long) -> Low<Kind> {
        let never = self.known_bool(false);
        let index = vec![self.int(0); x.shape.len()];
        self.b.begin_if(never.re);
        let n = (x.at)(self, &index);
        self.b.end();
        let kind = n?.kind;
        if kind >= Kind::C32 {
            refuse!("an array of complex numbers of unknown length");
        }
        Ok(kind)
    }

    fn count_of(&mut self, shape: &[Length]) -> kir::Value {
        let mut total = self.b.i32(1);
        for n in shape.iter().filter(|n| n.known() != Some(1)) {
            let n = self.length(*n);
            let first = self.constant(total).and_then(|c| c.as_i32()) == Some(1);
            total = if first { n } else { self.op(Op::Mul, &[total, n]) };
        }
        total
    }

    /// A function of all elements; nothing if it is none of these.
    pub fn reduce_long(&mut self, meaning: Meaning, args: &[Val]) -> Low<Option<Val>> {
        let one = match args {
            [v] => self.long_of(v)?,
            [a, b] if meaning == Meaning::DotProduct => self.products(a, b)?,
            _ => return Ok(None),
        };
        self.is_fresh(&one)?;
        Ok(Some(Val::Num(match meaning {
            Meaning::Sum => self.total(&one, Op2::Add, false)?,
            Meaning::DotProduct => self.total(&one, Op2::Add, true)?,
            Meaning::Product => self.total(&one, Op2::Mul, false)?,
            Meaning::Extreme(op) => self.extreme_of(&one, op)?,
            Meaning::Mean => {
                let sum = self.sum_unrounded(&one, Op2::Add)?;
                let count = self.count_of(&one.shape);
                let count = self.convert(&Num::new(Kind::Int, count), sum.kind);
                let mean = self.op(Op::Div, &[sum.re, count.re]);
                let kind = self.scalar_kind();
                self.convert(&Num::new(sum.kind, mean), kind)
            }
            Meaning::Norm => {
                let squares = self.products(&Val::Long(one.clone()), &Val::Long(one))?;
                let sum = self.sum_unrounded(&squares, Op2::Add)?;
                let root = self.op(Op::Sqrt, &[sum.re]);
                let kind = self.scalar_kind();
                self.convert(&Num::new(sum.kind, root), kind)
            }
            Meaning::Truth { all } => self.truth_of(&one, all)?,
            _ => return Ok(None),
        })))
    }

    /// Products of the elements of two vectors, rows or columns.
    fn products(&mut self, a: &Val, b: &Val) -> Low<Long> {
        let (x, y) = (self.long_of(a)?, self.long_of(b)?);
        let (p, q) = (x.wide(), y.wide());
        let ([m], [n]) = (&p[..], &q[..]) else {
            if p != q || x.shape.len() != y.shape.len() {
                refuse!("a product of arrays of different shapes");
            }
            for d in p {
                self.same_length(x.shape[d], y.shape[d])?;
            }
            return self.wide_products(&x, &y, None);
        };
        self.same_length(x.shape[*m], y.shape[*n])?;
        self.wide_products(&x, &y, Some((*m, *n)))
    }

    /// Products in the kind that they are added up in.
    fn wide_products(&mut self, x: &Long, y: &Long, turned: Option<(usize, usize)>) -> Low<Long> {
        let (x, y) = (x.clone(), y.clone());
        let (shape, rank) = (x.shape.clone(), y.shape.len());
        let reads = x.reads.iter().chain(&y.reads).cloned().collect();
        let at = move |l: &mut Lower<'_>, index: &[Num]| {
            let mut other = index.to_vec();
            if let Some((m, n)) = turned {
                other = vec![l.int(0); rank];
                other[n] = index[m];
            }
            let (p, q) = ((x.at)(l, index)?, (y.at)(l, &other)?);
            let kind = p.kind.promote(q.kind);
            let kind = if kind.is_int() || !l.doubles { kind } else { Kind::F64 };
            let (p, q) = (l.convert(&p, kind), l.convert(&q, kind));
            l.binary(Op2::Mul, &p, &q, false)
        };
        Ok(Long { shape, at: std::rc::Rc::new(at), reads })
    }

    /// A sum or product, rounded once.
    fn total(&mut self, x: &Long, op: Op2, products: bool) -> Low<Num> {
        let kind = self.kind_of_long(x)?;
        if kind.is_int() {
            let zero = self.int(i64::from(op == Op2::Mul));
            let start = self.convert(&zero, kind);
            return self.gather(x, start, &mut |l, sum, n| l.binary(op, &sum, n, false));
        }
        let sum = self.sum_unrounded(x, op)?;
        let kind = if products && kind == Kind::F64 { self.scalar_kind() } else { kind };
        Ok(self.convert(&sum, kind))
    }

    /// A sum or product as a double; as a single with what its additions lost where a device has no doubles.
    fn sum_unrounded(&mut self, x: &Long, op: Op2) -> Low<Num> {
        let double = self.doubles || self.kind_of_long(x)? == Kind::F64;
        let kind = if double { Kind::F64 } else { Kind::F32 };
        let start = self.float(kind, f64::from(u8::from(op == Op2::Mul)));
        let start = Num::new(kind, start);
        if double || op == Op2::Mul {
            return self.gather(x, start, &mut |l, sum, n| {
                let n = l.convert(n, kind);
                l.binary(op, &sum, &n, false)
            });
        }
        let lost = self.result_vars(&start);
        self.set_number(lost, &start);
        self.gather(x, start, &mut |l, sum, n| {
            let n = l.convert(n, kind);
            let before = l.get_vars(kind, lost).re;
            let n = l.op(Op::Sub, &[n.re, before]);
            let new = l.op(Op::Add, &[sum.re, n]);
            let grown = l.op(Op::Sub, &[new, sum.re]);
            let off = l.op(Op::Sub, &[grown, n]);
            l.set_number(lost, &Num::new(kind, off));
            Ok(Num::new(kind, new))
        })
    }

    /// Combines all elements, from `start` on.
    fn gather(&mut self, x: &Long, start: Num, combine: &mut dyn FnMut(&mut Self, Num, &Num) -> Low<Num>) -> Low<Num> {
        let (kind, vars) = (start.kind, self.result_vars(&start));
        self.set_number(vars, &start);
        self.each(&x.shape, &mut |l, index| {
            let n = (x.at)(l, index)?;
            let old = l.get_vars(kind, vars);
            let new = combine(l, old, &n)?;
            let new = l.convert(&new, kind);
            l.set_number(vars, &new);
            Ok(())
        })?;
        Ok(self.get_vars(kind, vars))
    }

    fn extreme_of(&mut self, x: &Long, op: Op2) -> Low<Num> {
        let count = self.count_of(&x.shape);
        let zero = self.b.i32(0);
        let some = self.op(Op::CmpGt, &[count, zero]);
        self.require(some, "an extreme of an empty array");
        let first = vec![self.int(0); x.shape.len()];
        let start = (x.at)(self, &first)?;
        let start = self.plain(&start);
        if start.kind >= Kind::C32 {
            refuse!("an extreme of complex numbers");
        }
        self.gather(x, start, &mut |l, best, n| {
            if best.kind.is_int() {
                return l.binary(op, &best, n, false);
            }
            let n = l.convert(n, best.kind);
            let takes = l.wins(op, &n, &best);
            Ok(l.select(takes, &n, &best))
        })
    }

    /// `[v, k] = max(x)` of a vector: the greatest or least element and where the first such stands; of nothing but NaN the last.
    pub fn extreme_and_place(&mut self, op: Op2, v: &Val) -> Low<Vec<Val>> {
        let short = !self.is_long(v) && matches!(v, Val::Small(_) | Val::Array(_));
        let (best, place) = if short {
            let s = self.small_of(v)?;
            if s.items.is_empty() || s.shape.iter().filter(|n| **n != 1).count() > 1 {
                refuse!("the place of an extreme of an array that is no vector");
            }
            let (mut best, mut place) = (self.real_element(&s.items[0])?, self.int(0));
            for (k, n) in s.items.iter().enumerate().skip(1) {
                let (n, k) = (self.convert(n, best.kind), self.int(k as i64));
                let takes = self.wins(op, &n, &best);
                (best, place) = (self.select(takes, &n, &best), self.select(takes, &k, &place));
            }
            (best, place)
        } else if let Val::Long(_) | Val::Array(_) = v {
            let x = self.long_of(v)?;
            self.is_fresh(&x)?;
            self.long_extreme_and_place(op, &x)?
        } else {
            refuse!("the place of an extreme of {}", v.what())
        };
        Ok(vec![Val::Num(best), Val::Num(place)])
    }

    fn long_extreme_and_place(&mut self, op: Op2, x: &Long) -> Low<(Num, Num)> {
        let along = match x.wide()[..] {
            [along] => along,
            _ => refuse!("the place of an extreme of an array that is no vector"),
        };
        let count = self.count_of(&x.shape);
        let none = self.b.i32(0);
        let some = self.op(Op::CmpGt, &[count, none]);
        self.require(some, "an extreme of an empty array");
        let zero = self.int(0);
        let first = vec![zero; x.shape.len()];
        let start = (x.at)(self, &first)?;
        let start = self.real_element(&start)?;
        let (best, place) = (self.result_vars(&start), self.result_vars(&zero));
        self.set_number(best, &start);
        self.set_number(place, &zero);
        self.each(&x.shape, &mut |l, index| {
            let n = (x.at)(l, index)?;
            let (n, old) = (l.convert(&n, start.kind), l.get_vars(start.kind, best));
            let takes = l.wins(op, &n, &old);
            let (new, before) = (l.select(takes, &n, &old), l.get_vars(Kind::Int, place));
            let at = l.select(takes, &index[along], &before);
            l.set_number(best, &new);
            l.set_number(place, &at);
            Ok(())
        })?;
        let most = (self.length_range(x.shape[along]).high - 1).max(0);
        let at = self.get_vars(Kind::Int, place);
        Ok((self.get_vars(start.kind, best), Num { range: Some(kir::Bounds::new(0, most)), ..at }))
    }

    fn real_element(&mut self, n: &Num) -> Low<Num> {
        if n.kind >= Kind::C32 {
            refuse!("an extreme of complex numbers");
        }
        Ok(self.plain(n))
    }

    /// Whether an element replaces the best one so far: what is no number counts only where nothing else is there.
    fn wins(&mut self, op: Op2, n: &Num, best: &Num) -> kir::Value {
        let better = self.op(if op == Op2::Max { Op::CmpGt } else { Op::CmpLt }, &[n.re, best.re]);
        if best.kind.is_int() {
            return better;
        }
        let none = self.op(Op::CmpNe, &[best.re, best.re]);
        self.op(Op::Or, &[better, none])
    }

    fn truth_of(&mut self, x: &Long, all: bool) -> Low<Num> {
        let start = self.int(i64::from(all));
        let found = self.gather(x, start, &mut |l, sum, n| {
            let t = l.is_true(n)?;
            let t = l.truth(t);
            l.binary(if all { Op2::Min } else { Op2::Max }, &sum, &t, false)
        })?;
        Ok(Num { range: Some(kir::Bounds::new(0, 1)), ..found })
    }

    /// Element of an array of unknown length, 0 outside under `'safe`.
    pub fn long_element(&mut self, x: &Long, subscripts: &[Num], access: Access) -> Low<Val> {
        self.is_fresh(x)?;
        let mut list = subscripts.to_vec();
        if list.len() == 1 && x.is_vector() {
            list.insert(0, self.int(0));
        }
        if list.len() != x.shape.len() {
            refuse!("{} subscripts for {} dimensions", subscripts.len(), x.shape.len());
        }
        let (mut index, mut inside): (Vec<Num>, Option<kir::Value>) = (Vec::new(), None);
        for (i, n) in list.iter().zip(&x.shape) {
            let i = self.subscript(i)?;
            let (i, ok) = self.map_subscript(&i, *n, access);
            index.push(Num::new(Kind::Int, i));
            if let Some(ok) = ok {
                inside = Some(inside.map_or(ok, |p| self.op(Op::And, &[p, ok])));
            }
        }
        let Some(inside) = inside else { return (x.at)(self, &index).map(Val::Num) };
        let kind = self.kind_of_long(x)?;
        let zero = self.zero(kind);
        let vars = self.result_vars(&zero);
        self.set_number(vars, &zero);
        self.b.begin_if(inside);
        let n = (x.at)(self, &index)?;
        self.set_number(vars, &n);
        self.b.end();
        Ok(Val::Num(self.get_vars(kind, vars)))
    }

    /// `a[i,:] op= value`: a loop over the elements, if none is read after another was written.
    pub fn store_long(
        &mut self,
        part: &Part,
        (name, span): (&Text, Span),
        op: Option<BinaryOp>,
        value: &Val,
        right: &Expr,
    ) -> Low<Val> {
        let own = self.long_part(part.clone());
        let value = match op {
            Some(op) => self.binary_operator(op, &Val::Long(own.clone()), value, right)?,
            None => value.clone(),
        };
        let x = self.long_of(&value)?;
        self.is_fresh(&x)?;
        let a = part.array().clone();
        if x.reads.iter().any(|r| r.buf == a.buf && (r.which.is_none() || r.which != part.which)) {
            refuse!(Slice: "a slice of '{name}' is set to other elements of it");
        }
        let (to, from) = (own.wide(), x.wide());
        if !from.is_empty() {
            if to.len() != from.len() {
                refuse!(Slice: "values of another size are assigned to a slice");
            }
            for (d, e) in to.iter().zip(&from) {
                self.same_length(own.shape[*d], x.shape[*e])?;
            }
        }
        // A reduction of the array has been computed by now, so only elements of the same places are left to be read.
        let (shape, rank) = (own.shape.clone(), x.shape.len());
        self.each(&shape, &mut |l, index| {
            let mut there = vec![l.int(0); rank];
            for (d, e) in to.iter().zip(&from) {
                there[*e] = index[*d];
            }
            let n = (x.at)(l, &there)?;
            let place = part.place(l, index);
            l.store(&a, &place, &n, name, Some(span))
        })?;
        Ok(value)
    }
}
