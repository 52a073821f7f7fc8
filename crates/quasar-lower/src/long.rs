//! Arrays whose length is not known while compiling, as values: a slice of an array, or an expression over such, element by
//! element. Nothing is computed until somebody takes an element, all of them in a loop (`long_use`), or stores them.

use super::element::Place;
use super::index::Select;
use super::state::Lower;
use super::value::{ArrayRef, Length, Long, MOST_SMALL, Num, Read, Val};
use super::{Low, refuse};
use quadra_base::quick::Map;
use quadra_kir::{self as kir, Op};
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_hir::types::Access;
use quadra_quasar_syntax::ast::{Block, Expr};
use quadra_quasar_syntax::pretty;
use quadra_quasar_vm::arith::Kind;
use std::rc::Rc;

/// A dimension of an array that a slice is taken of.
#[derive(Clone)]
enum Dim {
    One(kir::Value),
    /// Dimension so much of the result; the first element, its step, and whether it may lie outside.
    Free(usize, Option<(Num, i64)>),
}

/// Part of an array in memory.
#[derive(Clone)]
pub(super) struct Part {
    array: Rc<ArrayRef>,
    dims: Vec<Dim>,
    inside: Option<kir::Value>,
    access: Access,
    pub shape: Vec<Length>,
    pub which: Option<String>,
}

impl Part {
    /// Where the element with these indices is.
    pub fn place(&self, l: &mut Lower<'_>, index: &[Num]) -> Place {
        let mut flat: Option<kir::Value> = None;
        let mut inside = self.inside;
        for (dim, n) in self.dims.iter().zip(&self.array.shape) {
            let i = match dim {
                Dim::One(i) => *i,
                Dim::Free(d, None) => index[*d].re,
                Dim::Free(d, Some((start, step))) => {
                    let step = l.b.i32(*step as i32);
                    let distance = l.op(Op::Mul, &[index[*d].re, step]);
                    let i = l.op(Op::Add, &[start.re, distance]);
                    let (i, ok) = l.map_subscript(&Num::new(Kind::Int, i), *n, self.access);
                    if let Some(ok) = ok {
                        inside = Some(inside.map_or(ok, |p| l.op(Op::And, &[p, ok])));
                    }
                    i
                }
            };
            flat = Some(match flat {
                None => i,
                Some(f) => {
                    let n = l.length(*n);
                    let row = l.scale(f, n);
                    l.op(Op::Add, &[row, i])
                }
            });
        }
        Place { at: flat.unwrap_or_else(|| l.b.i32(0)), inside, own: None }
    }

    pub fn array(&self) -> &Rc<ArrayRef> {
        &self.array
    }
}

impl Lower<'_> {
    /// Whether indices select more of an array than registers hold, or it is not known how much.
    pub fn selects_long(&self, lengths: &[Length], selects: &[Select]) -> bool {
        selects.iter().enumerate().any(|(d, s)| match s {
            Select::Span(..) => true,
            Select::All if selects.len() == 1 => {
                lengths.iter().map(|l| l.known()).product::<Option<usize>>().is_none_or(|n| n > MOST_SMALL)
            }
            Select::All => lengths.get(d).is_some_and(|l| l.known().is_none_or(|n| n > MOST_SMALL)),
            _ => false,
        })
    }

    /// The part of an array that indices select.
    pub fn part(&mut self, a: &Rc<ArrayRef>, selects: &[Select], items: &[Expr], access: Access) -> Low<Part> {
        // A vector has one index for its second dimension.
        let vector = selects.len() == 1 && a.is_vector();
        if selects.len() != a.shape.len() && !vector {
            refuse!(Slice: "a slice with {} indices of {} dimensions", selects.len(), a.shape.len());
        }
        let zero = self.b.i32(0);
        let (mut dims, mut kept, mut inside) = (Vec::new(), Vec::new(), None);
        if vector {
            dims.push(Dim::One(zero));
        }
        for (d, select) in selects.iter().enumerate() {
            let d = d + usize::from(vector);
            let n = a.shape[d];
            dims.push(match select {
                Select::One(i) => {
                    let i = self.subscript_for(i, access)?;
                    let (i, ok) = self.map_subscript(&i, n, access);
                    if let Some(ok) = ok {
                        inside = Some(match inside {
                            Some(p) => self.op(Op::And, &[p, ok]),
                            None => ok,
                        });
                    }
                    Dim::One(i)
                }
                Select::All => {
                    kept.push((d, n));
                    Dim::Free(kept.len() - 1, None)
                }
                Select::Span(start, step, count) => {
                    kept.push((d, *count));
                    Dim::Free(kept.len() - 1, Some((*start, *step)))
                }
                Select::Many(_) | Select::Channel(_) => {
                    refuse!(Slice: "a slice of unknown length with a list of indices")
                }
            });
        }
        let one = Length::Known(1);
        let (shape, shift) = match kept[..] {
            [(0, n)] => (vec![n, one], 0),
            [(_, n)] => (vec![one, n], 1),
            _ => (kept.iter().map(|k| k.1).collect(), 0),
        };
        for dim in &mut dims {
            if let Dim::Free(at, _) = dim {
                *at += shift;
            }
        }
        // Names that nothing assigns mean the same wherever they stand.
        let names = items.iter().map(quadra_quasar_hir::scope::Names::of_expr);
        let fixed = names.flat_map(|n| n.mentioned).all(|n| self.frame().assigns.get(&n).copied().unwrap_or(0) == 0);
        let which = fixed.then(|| items.iter().map(pretty::expression).collect::<Vec<_>>().join(","));
        let which = which.map(|w| format!("{}: {w}", self.frames.len()));
        Ok(Part { array: a.clone(), dims, inside, access, shape, which })
    }

    /// All of an array.
    pub fn whole_part(&mut self, a: &Rc<ArrayRef>) -> Low<Part> {
        let all: Vec<Select> = a.shape.iter().map(|_| Select::All).collect();
        let mut part = self.part(a, &all, &[], Access::Safe)?;
        part.shape.clone_from(&a.shape);
        for (d, dim) in part.dims.iter_mut().enumerate() {
            *dim = Dim::Free(d, None);
        }
        part.which = Some(":".into());
        Ok(part)
    }

    /// What a part of an array holds.
    pub fn long_part(&mut self, part: Part) -> Long {
        let buf = part.array.buf;
        let read = Read { buf, version: self.version(buf), which: part.which.clone() };
        let shape = part.shape.clone();
        let at = move |l: &mut Lower<'_>, index: &[Num]| {
            part.array.no_slice()?;
            let place = part.place(l, index);
            l.load(&part.array, &place)
        };
        Long { shape, at: Rc::new(at), reads: vec![read] }
    }

    /// A value as an array of any length.
    pub fn long_of(&mut self, v: &Val) -> Low<Long> {
        Ok(match v {
            Val::Long(x) => x.clone(),
            Val::Num(n) => {
                let n = *n;
                let shape = vec![Length::Known(1); 2];
                Long { shape, at: Rc::new(move |_, _| Ok(n)), reads: Vec::new() }
            }
            Val::Array(a) => {
                let part = self.whole_part(a)?;
                self.long_part(part)
            }
            Val::Small(s) => {
                let shape = s.shape.iter().map(|n| Length::Known(*n)).collect();
                let s = s.clone();
                Long { shape, at: Rc::new(move |l, index| l.read_item(&s, index, false, Access::Safe)), reads: vec![] }
            }
            other => refuse!("{} where an array is needed", other.what()),
        })
    }

    /// Whether a value is an array that registers do not hold.
    pub fn is_long(&self, v: &Val) -> bool {
        match v {
            Val::Long(_) => true,
            Val::Array(a) => a.known_len().is_none_or(|n| n > MOST_SMALL),
            _ => false,
        }
    }

    /// A function of every element.
    pub fn map_long(&mut self, v: &Val, f: impl Fn(&mut Lower<'_>, &Num) -> Low<Num> + 'static) -> Low<Val> {
        let x = self.long_of(v)?;
        let inner = x.at.clone();
        let at = move |l: &mut Lower<'_>, index: &[Num]| {
            let n = inner(l, index)?;
            f(l, &n)
        };
        Ok(Val::Long(Long { at: Rc::new(at), ..x }))
    }

    /// An operator element by element, with broadcasting.
    pub fn operate_long(&mut self, op: Op2, matrix: bool, a: &Val, b: &Val, literal: bool) -> Low<Val> {
        let (x, y) = (self.long_of(a)?, self.long_of(b)?);
        let number = |v: &Val| matches!(v, Val::Num(_));
        let plain = number(a) || number(b) || x.is_vector() && y.is_vector();
        let power = op == Op2::Pow && !number(a) && !x.is_vector();
        if matrix && (!plain || power) {
            refuse!("'{}' of matrices", op.name());
        }
        let rank = x.shape.len().max(y.shape.len());
        let one = Length::Known(1);
        let of = |s: &[Length], d: usize| s.get(d).copied().unwrap_or(one);
        let mut shape = Vec::new();
        for d in 0..rank {
            shape.push(match (of(&x.shape, d), of(&y.shape, d)) {
                (n, m) if m.known() == Some(1) => n,
                (n, m) if n.known() == Some(1) => m,
                (n, m) => self.same_length(n, m)?,
            });
        }
        let reads = x.reads.iter().chain(&y.reads).cloned().collect();
        let at = move |l: &mut Lower<'_>, index: &[Num]| {
            let (p, q) = (l.within(&x.shape, index), l.within(&y.shape, index));
            let (p, q) = ((x.at)(l, &p)?, (y.at)(l, &q)?);
            l.binary(op, &p, &q, literal)
        };
        Ok(Val::Long(Long { shape, at: Rc::new(at), reads }))
    }

    /// Indices into something that is broadcast.
    fn within(&mut self, shape: &[Length], index: &[Num]) -> Vec<Num> {
        let zero = self.int(0);
        let one = |(n, i): (&Length, &Num)| if n.known() == Some(1) { zero } else { *i };
        shape.iter().zip(index).map(one).collect()
    }

    /// Two lengths that must be the same: if they are not, the host says what is wrong.
    pub fn same_length(&mut self, n: Length, m: Length) -> Low<Length> {
        match (n, m) {
            (Length::Known(a), Length::Known(b)) if a != b => refuse!("operands have different sizes"),
            (Length::Given(a), Length::Given(b)) if a == b => {}
            (Length::Known(_), Length::Known(_)) => {}
            _ => {
                let (a, b) = (self.length(n), self.length(m));
                let same = self.op(Op::CmpEq, &[a, b]);
                self.require(same, "operands have different sizes");
            }
        }
        Ok(if n.known().is_some() { n } else { m })
    }

    /// Rows become columns.
    pub fn transpose_long(&mut self, v: &Val) -> Low<Val> {
        let x = self.long_of(v)?;
        let [m, n] = x.shape[..] else { refuse!("'transpose' of an array with three dimensions") };
        let inner = x.at;
        // Elements change their places, so a store cannot go along with them.
        let reads = x.reads.into_iter().map(|r| Read { which: None, ..r }).collect();
        let at = move |l: &mut Lower<'_>, index: &[Num]| inner(l, &[index[1], index[0]]);
        Ok(Val::Long(Long { shape: vec![n, m], at: Rc::new(at), reads }))
    }

    fn version(&self, buf: kir::Buf) -> u32 {
        self.written.get(&buf).copied().unwrap_or(0)
    }

    /// An array is written: what was taken of it before is no longer what it holds.
    pub fn note_written(&mut self, buf: kir::Buf) {
        *self.written.entry(buf).or_default() += 1;
    }

    /// The arrays of which a block writes elements count as written wherever it repeats.
    pub fn note_written_in(&mut self, block: &Block) {
        let mut names = Map::default();
        super::count::count(block, 1, &mut names);
        for name in names.into_keys() {
            if let Ok(Some(Val::Array(a))) = self.variable_value(&name) {
                self.note_written(a.buf);
            }
        }
    }

    /// Refuses a value of which something was overwritten since.
    pub fn is_fresh(&self, x: &Long) -> Low<()> {
        if x.reads.iter().any(|r| self.version(r.buf) != r.version) {
            refuse!(Slice: "a slice is used after its array was written");
        }
        Ok(())
    }
}
