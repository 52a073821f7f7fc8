//! Reductions of lines (their extremes: `extreme`): every element along one dimension, or of the whole array. Where neighbours of a line lie apart, rows are
//! taken together, so that memory is read in its order; long arrays are shared by threads.

use super::columns::{by_rows, combined};
use crate::arith::to_f64;
use crate::storage::{CHUNK, LONG, lines_at_a_time};
use crate::tensor::{Data, Tensor};
use quadra_numeric::threads;
use quadra_numeric::wide::{self, Job, Summand};
use std::borrow::Cow;
use std::ops::Range;

pub(super) use quadra_numeric::wide::SIDE;

/// A real element as it is stored.
pub trait Number: Summand + Send + Sync + PartialOrd + 'static {
    /// No number is less.
    const LEAST: Self;
    /// No number is greater.
    const MOST: Self;
    /// Whether there are zeros that are equal and not the same.
    const SIGNED_ZEROS: bool = false;

    fn real(self) -> f64;

    #[inline(always)]
    fn is_nan(self) -> bool {
        false
    }

    #[inline(always)]
    fn is_set(self) -> bool {
        self.real() != 0.0
    }
}

macro_rules! numbers {
    ($($t:ident),*) => {
        $(impl Number for $t {
            const LEAST: $t = $t::MIN;
            const MOST: $t = $t::MAX;

            #[inline(always)]
            fn real(self) -> f64 {
                self.into()
            }
        })*
    };
}
numbers!(i32, u8, i8, i16, u16, u32);

impl Number for f32 {
    const LEAST: f32 = f32::NEG_INFINITY;
    const MOST: f32 = f32::INFINITY;
    const SIGNED_ZEROS: bool = true;

    #[inline(always)]
    fn real(self) -> f64 {
        self.into()
    }

    #[inline(always)]
    fn is_nan(self) -> bool {
        self.is_nan()
    }
}

impl Number for f64 {
    const LEAST: f64 = f64::NEG_INFINITY;
    const MOST: f64 = f64::INFINITY;
    const SIGNED_ZEROS: bool = true;

    #[inline(always)]
    fn real(self) -> f64 {
        self
    }

    #[inline(always)]
    fn is_nan(self) -> bool {
        self.is_nan()
    }
}

/// Real elements without a copy where their type is usual, else as doubles.
pub enum Reals<'a> {
    Single(&'a [f32]),
    Double(Cow<'a, [f64]>),
    Int(&'a [i32]),
    Mask(&'a [u8]),
}

/// The elements of real data.
pub fn reals(data: &Data) -> Reals<'_> {
    match data {
        Data::F32(v) | Data::F16(v) => Reals::Single(v),
        Data::Int(v) | Data::I32(v) => Reals::Int(v),
        Data::Mask(v) | Data::U8(v) => Reals::Mask(v),
        other => Reals::Double(to_f64(other)),
    }
}

/// Runs the same code for every kind of [`Reals`].
macro_rules! with_reals {
    ($data:expr, $v:ident => $body:expr) => {
        match $crate::builtins::along::reals($data) {
            $crate::builtins::along::Reals::Single($v) => $body,
            $crate::builtins::along::Reals::Double(v) => {
                let $v = &v[..];
                $body
            }
            $crate::builtins::along::Reals::Int($v) => $body,
            $crate::builtins::along::Reals::Mask($v) => $body,
        }
    };
}
pub(crate) use with_reals;

/// A dimension: blocks, elements of a line, and lines that lie side by side.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    pub outer: usize,
    pub length: usize,
    pub inner: usize,
}

impl Axis {
    pub fn of(t: &Tensor, dim: usize) -> Axis {
        let length = t.shape.get(dim).copied().unwrap_or(1);
        let product = |d: &[usize]| d.iter().product();
        Axis {
            outer: product(&t.shape[..dim.min(t.shape.len())]),
            length,
            inner: product(t.shape.get(dim + 1..).unwrap_or_default()),
        }
    }

    /// All elements of an array of this length as one line.
    pub fn whole(length: usize) -> Axis {
        Axis { outer: 1, length, inner: 1 }
    }

    pub fn lines(&self) -> usize {
        self.outer * self.inner
    }
}

/// The result of every line whose elements lie one behind the other.
pub fn each_line<T: Sync, A: Send>(v: &[T], axis: Axis, f: impl Fn(&[T]) -> A + Sync) -> Vec<A> {
    debug_assert_eq!(axis.inner, 1);
    let n = axis.length;
    let some = |lines: Range<usize>| lines.map(|k| f(&v[k * n..(k + 1) * n])).collect();
    threads::lists(axis.outer, lines_at_a_time(axis.outer, n, 1), &some)
}

/// The sum of sums side by side, to which come what `rest` makes of zeros: halves are added to each other.
#[inline(always)]
pub(super) fn across(sums: [f64; SIDE], rest: impl FnOnce(&mut [f64; SIDE])) -> f64 {
    // An array of their own, since what is indexed by variables is in memory.
    let mut last = [0.0; SIDE];
    rest(&mut last);
    by_halves(std::array::from_fn::<_, SIDE, _>(|k| sums[k] + last[k]), |a, b| a + b)
}

/// Many combined to one: the upper half with the lower one, until one is left. There must be a power of two of them.
#[inline(always)]
pub(super) fn by_halves<T: Copy, const N: usize>(mut all: [T; N], f: impl Fn(T, T) -> T) -> T {
    let mut width = N / 2;
    while width > 0 {
        let (low, high) = all.split_at_mut(width);
        low.iter_mut().zip(high).for_each(|(a, b)| *a = f(*a, *b));
        width /= 2;
    }
    all[0]
}

/// Sums side by side of `f(x)`.
struct SumLine<'a, T, F>(&'a [T], F);

impl<T: Number, F: Fn(f64) -> f64> Job for SumLine<'_, T, F> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let f = self.1;
        let (rows, rest) = self.0.as_chunks::<SIDE>();
        let mut sums = [0.0; SIDE];
        for row in rows {
            for (sum, x) in sums.iter_mut().zip(row) {
                *sum += f(x.real());
            }
        }
        across(sums, |last| last.iter_mut().zip(rest).for_each(|(l, x)| *l = f(x.real())))
    }
}

/// The results for every [`CHUNK`] of `n` elements, by several threads if they are many.
pub fn in_chunks<R: Send>(n: usize, result: &(dyn Fn(Range<usize>) -> R + Sync)) -> Vec<R> {
    match n < LONG {
        true => (0..n).step_by(CHUNK).map(|from| result(from..n.min(from + CHUNK))).collect(),
        false => threads::ranges(n, CHUNK, result),
    }
}

/// Sums side by side.
struct Total<'a, T>(&'a [T]);

impl<T: Number> Job for Total<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let (rows, rest) = self.0.as_chunks::<SIDE>();
        let sums = T::add_rows([0.0; SIDE], rows);
        across(sums, |last| last.iter_mut().zip(rest).for_each(|(l, x)| *l = x.real()))
    }
}

/// A sum over the elements of a line, `some` being that over some of them: of every [`CHUNK`] of them [`SIDE`] sums side by side, halves of
/// which are added.
fn sum_line<T: Number>(v: &[T], some: impl Fn(&[T]) -> f64 + Sync) -> f64 {
    match v.len() <= CHUNK {
        // There are many short ones.
        true => some(v),
        false => in_chunks(v.len(), &|range| some(&v[range])).into_iter().sum(),
    }
}

/// The sum of a line, as `sum_line` has it.
pub fn total<T: Number>(v: &[T]) -> f64 {
    sum_line(v, |some| wide::run(Total(some)))
}

/// The sums of lines in double precision.
pub fn sums<T: Number>(v: &[T], axis: Axis) -> Vec<f64> {
    match axis.inner {
        1 => each_line(v, axis, total),
        _ => combined(v, axis, 0.0, |sum: f64, x| sum + x.real(), |a, b| a + b),
    }
}

/// The products of lines in double precision, element by element.
pub fn products<T: Number>(v: &[T], axis: Axis) -> Vec<f64> {
    match axis.inner {
        1 => each_line(v, axis, |line| line.iter().fold(1.0, |p, x| p * x.real())),
        _ => combined(v, axis, 1.0, |p: f64, x| p * x.real(), |a, b| a * b),
    }
}

/// The mean square distances from the mean of each line.
pub fn variances<T: Number>(v: &[T], axis: Axis) -> Vec<f64> {
    let n = axis.length as f64;
    let one = |line: &[T]| {
        let mean = total(line) / n;
        sum_line(line, |some| wide::run(SumLine(some, |x| (x - mean) * (x - mean)))) / n
    };
    if axis.inner == 1 {
        return each_line(v, axis, one);
    }
    let mut means = sums(v, axis);
    means.iter_mut().for_each(|m| *m /= n);
    let mut out = by_rows(v, axis, 0.0, |out, row, first| wide::run(Distances(out, row, &means[first..])));
    out.iter_mut().for_each(|m| *m /= n);
    out
}

/// Adds the squares of the distances from means.
struct Distances<'a, T>(&'a mut [f64], &'a [T], &'a [f64]);

impl<T: Number> Job for Distances<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for ((o, x), m) in self.0.iter_mut().zip(self.1).zip(self.2) {
            *o += (x.real() - m) * (x.real() - m);
        }
    }
}

/// The sum of products of two lists.
pub fn dot<T: Number>(a: &[T], b: &[T]) -> f64 {
    in_chunks(a.len(), &|range| wide::run(Dot(&a[range.clone()], &b[range]))).into_iter().sum()
}

struct Dot<'a, T>(&'a [T], &'a [T]);

impl<T: Number> Job for Dot<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let ((a, rest), (b, other)) = (self.0.as_chunks::<SIDE>(), self.1.as_chunks::<SIDE>());
        let mut sums = [0.0; SIDE];
        for (a, b) in a.iter().zip(b) {
            for ((sum, x), y) in sums.iter_mut().zip(a).zip(b) {
                *sum += x.real() * y.real();
            }
        }
        across(sums, |last| last.iter_mut().zip(rest).zip(other).for_each(|((l, x), y)| *l = x.real() * y.real()))
    }
}

/// Whether all (or any) elements of a line are not 0.
pub fn truths<T: Number>(v: &[T], axis: Axis, all: bool) -> Vec<u8> {
    let line = |line: &[T]| {
        let piece = |p: &[T]| match all {
            true => p.iter().fold(true, |t, x| t & x.is_set()),
            false => p.iter().fold(false, |t, x| t | x.is_set()),
        };
        let mut pieces = line.chunks(4096).map(piece);
        u8::from(if all { pieces.all(|t| t) } else { pieces.any(|t| t) })
    };
    match axis.inner {
        1 => each_line(v, axis, line),
        _ => by_rows(v, axis, u8::from(all), |out, row: &[T], _| wide::run(Truths(out, row, all))),
    }
}

struct Truths<'a, T>(&'a mut [u8], &'a [T], bool);

impl<T: Number> Job for Truths<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        match self.2 {
            true => self.0.iter_mut().zip(self.1).for_each(|(o, x)| *o &= u8::from(x.is_set())),
            false => self.0.iter_mut().zip(self.1).for_each(|(o, x)| *o |= u8::from(x.is_set())),
        }
    }
}

/// Running results along lines: `f` of the one before and the next element, from the first element on.
pub fn running<T: Number>(v: &[T], axis: Axis, f: impl Fn(f64, f64) -> f64 + Sync, mut put: impl FnMut(usize, f64)) {
    if axis.inner == 1 {
        for (k, line) in v.chunks(axis.length.max(1)).enumerate() {
            let mut total: Option<f64> = None;
            for (i, x) in line.iter().enumerate() {
                let next = total.map_or(x.real(), |t| f(t, x.real()));
                put(k * axis.length + i, next);
                total = Some(next);
            }
        }
        return;
    }
    let mut totals = vec![0.0; axis.inner];
    for (k, row) in v.chunks(axis.inner.max(1)).enumerate() {
        let first = k % axis.length.max(1) == 0;
        for (j, (t, x)) in totals.iter_mut().zip(row).enumerate() {
            *t = if first { x.real() } else { f(*t, x.real()) };
            put(k * axis.inner + j, *t);
        }
    }
}
