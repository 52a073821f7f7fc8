//! Expressions over long arrays, computed in pieces that stay in the first-level cache, by all threads.

use super::along::{self, Axis};
use super::columns;
use super::extreme;
use super::reduce::reduced;
use crate::bulk::Element;
use crate::cx::Cx;
use crate::executor::with_executor;
use crate::expression::{Apply, Expression, Source, Tail};
use crate::storage::{self, CHUNK, Operand};
use crate::tensor::{Data, Tensor, real_data};
use crate::value::Value;
use quadra_base::Span;
use quadra_numeric::threads;
use quadra_numeric::wide::{self, Job};
use quadra_quasar_hir::meaning::Term;
use quadra_quasar_hir::op1::Op1;
use quadra_quasar_hir::op2::Op2;
use std::cell::Ref;
use std::rc::Rc;

/// Elements computed at a time: a handful of operands fill half of a first-level cache.
const PIECE: usize = 2048;
/// Sums that are kept side by side.
const SUMS: usize = along::SIDE;

/// A type of elements that expressions are computed in.
pub trait Real: Element + Into<f64> + along::Number {
    fn elements(data: &Data) -> &[Self];
    fn number(x: f64) -> Self;
    fn data(v: Vec<Self>) -> Data;
    /// The first of the greatest (or least) elements, a number rather than a NaN.
    fn peak(v: &[Self], greatest: bool) -> Self;
}

macro_rules! real {
    ($t:ident, $kind:ident) => {
        impl Real for $t {
            fn elements(data: &Data) -> &[$t] {
                if let Data::$kind(v) = data { v } else { &[] }
            }

            fn number(x: f64) -> $t {
                x as $t
            }

            fn data(v: Vec<$t>) -> Data {
                Data::$kind(v)
            }

            fn peak(v: &[$t], greatest: bool) -> $t {
                extreme::peak(v, greatest)
            }
        }
    };
}
real!(f32, F32);
real!(f64, F64);

/// The value of an expression over arrays like `lead`.
pub fn value(e: &Expression<'_>, lead: &Tensor, span: Span, cx: &mut Cx) -> Value {
    if let Some(Some(v)) = with_executor(cx, |executor, cx| executor.expression(cx, e, lead, span)) {
        return v;
    }
    if e.double { value_as::<f64>(e, lead) } else { value_as::<f32>(e, lead) }
}

/// A formula of long arrays of one shape and numbers, in one pass; nothing for other operands.
pub fn formula(term: &Term, args: &[Value]) -> Option<Value> {
    let lead = args.iter().find_map(|v| if let Value::Array(t) = v { Some(t) } else { None })?;
    let double = match *lead.data.peek() {
        Data::F32(_) => false,
        Data::F64(_) => true,
        _ => return None,
    };
    let fits = |v: &Value| match v {
        Value::Array(t) => {
            t.shape == lead.shape && matches!((&*t.data.peek(), double), (Data::F32(_), false) | (Data::F64(_), true))
        }
        Value::F32(_) | Value::Int(_) => true,
        Value::F64(_) => double,
        _ => false,
    };
    if lead.len() < storage::LONG
        || !args.iter().all(fits)
        || !crate::memory::fits(lead.len() * if double { 8 } else { 4 })
    {
        return None;
    }
    let (mut nodes, mut arrays) = (Vec::new(), Vec::new());
    let Source::Node(_) = source(term, args, &mut nodes, &mut arrays)? else { return None };
    let e = Expression { nodes: &nodes, arrays: &arrays, len: lead.len(), double, tail: None };
    Some(if double { value_as::<f64>(&e, lead) } else { value_as::<f32>(&e, lead) })
}

/// The operations of a formula, one behind the other.
fn source<'a>(
    term: &Term,
    args: &'a [Value],
    nodes: &mut Vec<Apply>,
    arrays: &mut Vec<&'a Rc<Tensor>>,
) -> Option<Source> {
    let apply = match term {
        Term::Argument(i) => {
            return Some(match &args[*i] {
                Value::Array(t) => {
                    arrays.push(t);
                    Source::Array(arrays.len() - 1)
                }
                v => Source::Number(v.as_f64()?),
            });
        }
        Term::Map(op, _) if op.is_test() => return None,
        Term::Map(op, x) => match source(x, args, nodes, arrays)? {
            Source::Number(_) => return None,
            x => Apply::One(*op, x),
        },
        Term::Pair(op, ..) if op.is_comparison() => return None,
        Term::Pair(op, x, y) => {
            let (x, y) = (source(x, args, nodes, arrays)?, source(y, args, nodes, arrays)?);
            if matches!((x, y), (Source::Number(_), Source::Number(_))) {
                return None;
            }
            Apply::Two(*op, x, y)
        }
    };
    nodes.push(apply);
    Some(Source::Node(nodes.len() - 1))
}

fn value_as<T: Real>(e: &Expression<'_>, lead: &Tensor) -> Value {
    let data: Vec<Ref<'_, Data>> = e.arrays.iter().map(|t| t.data.borrow()).collect();
    let plan = Plan::<T>::of(e, &data);
    match e.tail {
        None => Value::array(Tensor::new(lead.shape.clone(), T::data(plan.all(e.len)))),
        Some(Tail::Sum) => Value::scalar(plan.sum(e.len), e.double),
        Some(Tail::Mean) => Value::scalar(plan.sum(e.len) / e.len as f64, e.double),
        Some(Tail::Extreme(op)) => Value::scalar(plan.extreme(e.len, op), e.double),
        Some(Tail::Lines { dim, mean }) => {
            let axis = Axis::of(lead, dim);
            let mut sums = plan.sums_of_lines(axis);
            if mean {
                sums.iter_mut().for_each(|s| *s /= axis.length as f64);
            }
            Value::array(Tensor::new(reduced(lead, dim), real_data(sums, e.double)))
        }
    }
}

/// An operation on slots.
struct Line<'a, T> {
    apply: Work<'a, T>,
    /// The slot that takes the result.
    to: usize,
}

enum Work<'a, T> {
    /// Both operands lie elsewhere.
    Fresh(Op2, Operand<'a, T>, Operand<'a, T>),
    /// The slot of the result is one operand, the right one if it says so.
    Onto(Op2, Operand<'a, T>, bool),
    /// The slot of the result is the left operand, another slot the right one.
    Slots(Op2, usize),
    One(Op1, Option<&'a [T]>),
}

/// Operations with their slots given out. Slot 0 takes the result.
struct Plan<'a, T> {
    lines: Vec<Line<'a, T>>,
    slots: usize,
}

impl<'a, T: Real> Plan<'a, T> {
    fn of(e: &Expression<'_>, data: &'a [Ref<'_, Data>]) -> Plan<'a, T> {
        let operand = |s: Source| match s {
            Source::Array(i) => Operand::Array(T::elements(&data[i])),
            Source::Number(x) => Operand::Number(T::number(x)),
            Source::Node(_) => Operand::Number(T::default()),
        };
        let (mut lines, mut slot_of, mut free, mut slots) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for apply in e.nodes {
            let mut fresh = || {
                free.pop().unwrap_or_else(|| {
                    slots += 1;
                    slots - 1
                })
            };
            let (work, to) = match *apply {
                Apply::Two(op, Source::Node(x), Source::Node(y)) => {
                    let (x, y): (usize, usize) = (slot_of[x], slot_of[y]);
                    free.push(y);
                    (Work::Slots(op, y), x)
                }
                Apply::Two(op, Source::Node(x), y) => (Work::Onto(op, operand(y), false), slot_of[x]),
                Apply::Two(op, x, Source::Node(y)) => (Work::Onto(op, operand(x), true), slot_of[y]),
                Apply::Two(op, x, y) => (Work::Fresh(op, operand(x), operand(y)), fresh()),
                Apply::One(op, Source::Node(x)) => (Work::One(op, None), slot_of[x]),
                Apply::One(op, x) => {
                    let Operand::Array(x) = operand(x) else { continue };
                    (Work::One(op, Some(x)), fresh())
                }
            };
            slot_of.push(to);
            lines.push(Line { apply: work, to });
        }
        // The result comes to lie in slot 0.
        let last = slot_of.last().copied().unwrap_or_default();
        let swap = |s: &mut usize| {
            *s = if *s == last {
                0
            } else if *s == 0 {
                last
            } else {
                *s
            }
        };
        for line in &mut lines {
            swap(&mut line.to);
            if let Work::Slots(_, other) = &mut line.apply {
                swap(other);
            }
        }
        Plan { lines, slots: slots.max(1) }
    }

    /// Computes the elements of a range into `out`; `room` has a piece for every other slot.
    fn piece(&self, range: std::ops::Range<usize>, out: &mut [T], room: &mut [Vec<T>]) {
        let n = range.len();
        for Line { apply, to } in &self.lines {
            if let Work::Slots(op, other) = *apply {
                let other = match (to, other) {
                    // The slot of the result is no element of `room`, so that two of them can be had at once.
                    (0, other) => {
                        T::combine(op, out, None, Operand::Array(&room[other - 1][..n]), false);
                        continue;
                    }
                    (to, 0) => {
                        T::combine(op, &mut room[to - 1][..n], None, Operand::Array(out), false);
                        continue;
                    }
                    (_, other) => std::mem::take(&mut room[other - 1]),
                };
                T::combine(op, &mut room[to - 1][..n], None, Operand::Array(&other[..n]), false);
                let Work::Slots(_, place) = *apply else { continue };
                room[place - 1] = other;
                continue;
            }
            let slot = if *to == 0 { &mut *out } else { &mut room[to - 1][..n] };
            match apply {
                Work::Fresh(op, x, y) => T::combine(*op, slot, Some(x.part(&range)), y.part(&range), false),
                Work::Onto(op, other, right) => T::combine(*op, slot, None, other.part(&range), *right),
                Work::One(op, x) => T::unary(*op, slot, x.map(|x| &x[range.clone()])),
                Work::Slots(..) => {}
            }
        }
    }

    fn room(&self) -> Vec<Vec<T>> {
        vec![vec![T::default(); PIECE]; self.slots - 1]
    }

    fn all(&self, n: usize) -> Vec<T> {
        let mut out = storage::storage(n);
        threads::share(n.div_ceil(CHUNK), &mut out.chunks_mut(CHUNK).enumerate(), &|chunks| {
            let mut room = self.room();
            for (c, chunk) in chunks {
                for (p, piece) in chunk.chunks_mut(PIECE).enumerate() {
                    let from = c * CHUNK + p * PIECE;
                    self.piece(from..from + piece.len(), piece, &mut room);
                }
            }
        });
        out
    }

    /// What becomes of the pieces of each chunk, added one by one.
    fn chunks<R: Default + Send>(&self, n: usize, add: impl Fn(&mut R, &[T]) + Sync) -> Vec<R> {
        let mut results = Vec::new();
        results.resize_with(n.div_ceil(CHUNK), R::default);
        threads::share(results.len(), &mut results.iter_mut().enumerate(), &|places| {
            let (mut room, mut piece) = (self.room(), vec![T::default(); PIECE]);
            for (c, place) in places {
                let mut result = R::default();
                let end = ((c + 1) * CHUNK).min(n);
                for from in (c * CHUNK..end).step_by(PIECE) {
                    let out = &mut piece[..PIECE.min(end - from)];
                    self.piece(from..from + out.len(), out, &mut room);
                    add(&mut result, out);
                }
                *place = result;
            }
        });
        results
    }

    /// The sum in double precision: of every [`CHUNK`] elements [`SUMS`] sums side by side, halves of which are added, then the chunks in
    /// their order.
    /// It depends neither on threads nor on what computed the elements.
    fn sum(&self, n: usize) -> f64 {
        self.chunks(n, |sums: &mut Sums, piece| sums.add(piece)).iter().map(Sums::total).sum()
    }

    /// The sums of lines, each in the order that [`along::sums`] has.
    fn sums_of_lines(&self, axis: Axis) -> Vec<f64> {
        match axis.inner {
            1 => self.sums_of_rows(axis),
            _ => columns::summed(axis, &|rows, columns, out| {
                let (mut room, mut pieces) = (self.room(), vec![T::default(); columns::ROWS * PIECE]);
                for (first, out) in columns.step_by(PIECE).zip(out.chunks_mut(PIECE)) {
                    let n = out.len();
                    for k in rows.clone().step_by(columns::ROWS) {
                        let some = columns::ROWS.min(rows.end - k);
                        for (r, piece) in pieces.chunks_mut(PIECE).take(some).enumerate() {
                            let from = (k + r) * axis.inner + first;
                            self.piece(from..from + n, &mut piece[..n], &mut room);
                        }
                        columns::add_rows(out, some, &|r| &pieces[r * PIECE..r * PIECE + n]);
                    }
                }
            }),
        }
    }

    /// The sums of lines whose elements lie one behind the other, by some of them at a time.
    fn sums_of_rows(&self, axis: Axis) -> Vec<f64> {
        let n = axis.length;
        threads::lists(axis.outer, (CHUNK / n.max(1)).max(1), &|lines| {
            let (mut room, mut piece) = (self.room(), vec![T::default(); PIECE]);
            let some = PIECE.checked_div(n).unwrap_or(0);
            if some > 0 {
                // Whole lines fit into a piece.
                let parts = lines.clone().step_by(some).map(|k| k..lines.end.min(k + some));
                let sums = parts.flat_map(|part| {
                    let out = &mut piece[..part.len() * n];
                    self.piece(part.start * n..part.end * n, out, &mut room);
                    out.chunks(n).map(along::total).collect::<Vec<_>>()
                });
                return sums.collect();
            }
            let sums = lines.map(|line| {
                let chunks = (line * n..(line + 1) * n).step_by(CHUNK).map(|from| {
                    let (mut sums, end) = (Sums::default(), (line + 1).saturating_mul(n).min(from + CHUNK));
                    for from in (from..end).step_by(PIECE) {
                        let out = &mut piece[..PIECE.min(end - from)];
                        self.piece(from..from + out.len(), out, &mut room);
                        sums.add(out);
                    }
                    sums.total()
                });
                chunks.sum()
            });
            sums.collect()
        })
    }

    fn extreme(&self, n: usize, op: Op2) -> f64 {
        let best = |best: &mut Option<T>, piece: &[T]| *best = Some(better(op, *best, T::peak(piece, op == Op2::Max)));
        let chunks = self.chunks(n, best).into_iter().flatten();
        chunks.fold(None, |best, x| Some(better(op, best, x))).map_or(0.0, Into::into)
    }
}

/// The larger or smaller of two; the first of equals, and a number rather than a NaN.
fn better<T: Real>(op: Op2, best: Option<T>, x: T) -> T {
    match best {
        Some(b) => {
            let nan = b.partial_cmp(&b).is_none();
            let wins = if op == Op2::Max { x > b } else { x < b };
            if wins || nan { x } else { b }
        }
        None => x,
    }
}

/// Sums side by side, in double precision.
#[derive(Default)]
struct Sums {
    sums: [f64; SUMS],
    last: [f64; SUMS],
}

/// Sums to which rows are added.
struct AddRows<'a, T>([f64; SUMS], &'a [[T; SUMS]]);

impl<T: Real> Job for AddRows<'_, T> {
    type Output = [f64; SUMS];

    #[inline(always)]
    fn call(self) -> [f64; SUMS] {
        T::add_rows(self.0, self.1)
    }
}

impl Sums {
    /// Adds a piece; only the last one may have a length that is no multiple of the number of sums.
    fn add<T: Real>(&mut self, piece: &[T]) {
        let (rows, rest) = piece.as_chunks::<SUMS>();
        self.sums = wide::run(AddRows(self.sums, rows));
        self.last.iter_mut().zip(rest).for_each(|(sum, x)| *sum = (*x).into());
    }

    fn total(&self) -> f64 {
        along::across(self.sums, |last| *last = self.last)
    }
}
