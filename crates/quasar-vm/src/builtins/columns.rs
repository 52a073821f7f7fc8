//! Lines that lie side by side: rows of elements are combined with rows of results, in the order in which they are in memory.

use super::along::{Axis, Number};
use crate::storage::{LONG, lines_at_a_time};
use quadra_numeric::threads;
use quadra_numeric::wide::{self, Job};
use std::ops::Range;

/// Columns that are taken together, at most and at least.
const COLUMNS: usize = 1024;
const LEAST: usize = 64;
/// The same where the rows of a block are combined before the blocks are: several pages of each row are read in one go.
const WIDE: usize = 4096;
/// Rows of such a block.
const DEEP: usize = 256;
/// Sums combined at a time.
pub const VECTOR: usize = 16;

/// The results of lines that lie side by side: `f` takes results so far, a row of elements, and where in the results these begin.
pub fn by_rows<T: Sync, A: Copy + Send>(
    v: &[T],
    axis: Axis,
    start: A,
    f: impl Fn(&mut [A], &[T], usize) + Sync,
) -> Vec<A> {
    columns(v, axis, start, &|out, first, row| (0..axis.length).for_each(|k| f(out, row(k), first)))
}

/// Takes results so far, where in the results these begin, and what gives the rows of their elements.
pub type Columns<'f, 'v, T, A> = dyn Fn(&mut [A], usize, &dyn Fn(usize) -> &'v [T]) + Sync + 'f;

/// The results of lines that lie side by side.
pub fn columns<'v, T: Sync, A: Copy + Send>(v: &'v [T], axis: Axis, start: A, f: &Columns<'_, 'v, T, A>) -> Vec<A> {
    let mut out = vec![start; axis.lines()];
    let (n, inner) = (axis.length, axis.inner);
    if out.is_empty() {
        return out;
    }
    // Few columns of many rows are shared by threads, too.
    let width = COLUMNS.min(inner.div_ceil(2 * threads::count()).next_multiple_of(LEAST));
    // Blocks of columns, each within one block of the array.
    let blocks = out.chunks_mut(inner).enumerate();
    let parts = blocks
        .flat_map(|(o, block)| block.chunks_mut(width).enumerate().map(move |(c, out)| (o * inner + c * width, out)));
    let parts: Vec<(usize, &mut [A])> = parts.collect();
    let least = lines_at_a_time(parts.len(), width.min(inner), n);
    threads::groups(parts, least, &|parts| {
        for (first, out) in parts {
            let base = first / inner * n * inner + first % inner;
            let length = out.len();
            f(out, first, &|k| &v[base + k * inner..base + k * inner + length]);
        }
    });
    out
}

/// Rows that are combined at a time: results stay in registers meanwhile.
pub const ROWS: usize = 8;

/// Combines rows with results, one row after the other: some [`ROWS`] at a time, and as many as the last are. A number that the
/// compiler knows would be no faster, and this is compiled for each function, type and processor.
struct Rows<'a, T, A, F>(&'a mut [A], &'a [&'a [T]], F);

impl<T: Number, A: Copy, F: Fn(A, T) -> A> Job for Rows<'_, T, A, F> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Rows(out, rows, f) = self;
        let (blocks, rest) = out.as_chunks_mut::<VECTOR>();
        let done = blocks.len() * VECTOR;
        for (at, block) in blocks.iter_mut().enumerate() {
            let mut results = *block;
            for row in rows {
                let row = &row[at * VECTOR..][..VECTOR];
                results.iter_mut().zip(row).for_each(|(o, x)| *o = f(*o, *x));
            }
            *block = results;
        }
        for row in rows {
            rest.iter_mut().zip(&row[done..]).for_each(|(o, x)| *o = f(*o, *x));
        }
    }
}

/// Gives [`ROWS`] rows to `f`, or those that are left.
pub fn some_rows<'v, T: 'v>(left: usize, row: impl Fn(usize) -> &'v [T], f: impl FnOnce(&[&'v [T]])) {
    let count = ROWS.min(left);
    let rows: [&[T]; ROWS] = std::array::from_fn(|r| if r < count { row(r) } else { &[] });
    f(&rows[..count]);
}

/// Combines so many rows with results.
fn all_rows<'v, T: Number + 'v, A: Copy>(
    out: &mut [A],
    length: usize,
    row: &dyn Fn(usize) -> &'v [T],
    f: impl Fn(A, T) -> A + Copy,
) {
    for first in (0..length).step_by(ROWS) {
        some_rows(length - first, |r| row(first + r), |rows| wide::run(Rows(&mut *out, rows, f)));
    }
}

/// Adds the elements of so many rows to sums, in their order.
pub fn add_rows<'v, T: Number + 'v>(out: &mut [f64], length: usize, row: &dyn Fn(usize) -> &'v [T]) {
    all_rows(out, length, row, |sum, x| sum + x.real());
}

/// Lines that lie side by side, each combined from its first element on; long ones in blocks of [`DEEP`] elements, whose results
/// `merge` combines in their order.
pub fn combined<T: Number, A: Copy + Send>(
    v: &[T],
    axis: Axis,
    start: A,
    f: impl Fn(A, T) -> A + Copy + Sync,
    merge: impl Fn(A, A) -> A,
) -> Vec<A> {
    if !is_deep(axis) {
        return columns(v, axis, start, &|out, _, row| all_rows(out, axis.length, row, f));
    }
    let block = |rows: Range<usize>, columns: Range<usize>, out: &mut [A]| {
        let row = |k: usize| {
            let base = (rows.start + k) * axis.inner;
            &v[base + columns.start..base + columns.end]
        };
        all_rows(out, rows.len(), &row, f);
    };
    deep(axis, start, &block, merge)
}

/// Whether lines that lie side by side are combined in blocks of rows.
fn is_deep(axis: Axis) -> bool {
    let Axis { outer, length, inner } = axis;
    outer == 1 && length >= 2 * DEEP && inner > 0 && length.saturating_mul(inner) >= LONG
}

/// Combines a block of rows and columns with results.
type Block<'f, A> = dyn Fn(Range<usize>, Range<usize>, &mut [A]) + Sync + 'f;

fn deep<A: Copy + Send>(axis: Axis, start: A, block: &Block<'_, A>, merge: impl Fn(A, A) -> A) -> Vec<A> {
    let (length, inner) = (axis.length, axis.inner);
    let mut blocks = vec![start; length.div_ceil(DEEP) * inner];
    let parts = blocks.chunks_mut(inner).enumerate();
    let parts = parts.flat_map(|(b, block)| block.chunks_mut(WIDE).enumerate().map(move |(c, out)| (b, c * WIDE, out)));
    threads::groups(parts.collect(), 1, &|parts| {
        for (b, first, out) in parts {
            block(b * DEEP..length.min((b + 1) * DEEP), first..first + out.len(), out);
        }
    });
    let (out, others) = blocks.split_at_mut(inner);
    for block in others.chunks(inner) {
        out.iter_mut().zip(block).for_each(|(o, x)| *o = merge(*o, *x));
    }
    blocks.truncate(inner);
    blocks
}

/// The sums of lines that lie side by side, in the order that [`sums`] has, of elements that `add` adds: it takes rows, counted through all
/// blocks of the array, columns of them, and the sums of these.
pub fn summed(axis: Axis, add: &Block<'_, f64>) -> Vec<f64> {
    let Axis { outer, length, inner } = axis;
    if is_deep(axis) {
        return deep(axis, 0.0, add, |a, b| a + b);
    }
    let mut out = vec![0.0; outer * inner];
    let parts = out.chunks_mut(inner.max(1)).enumerate();
    let parts = parts.flat_map(|(o, block)| block.chunks_mut(WIDE).enumerate().map(move |(c, out)| (o, c * WIDE, out)));
    let parts: Vec<(usize, usize, &mut [f64])> = parts.collect();
    let least = lines_at_a_time(parts.len(), WIDE.min(inner), length);
    threads::groups(parts, least, &|parts| {
        for (o, first, out) in parts {
            add(o * length..(o + 1) * length, first..first + out.len(), out);
        }
    });
    out
}
