//! The greatest and least elements of lines, and where they stand: the first of equals, a number rather than NaN, and of nothing but NaN
//! the last.

use super::along::{self, Axis, Number, each_line};
use super::columns::{ROWS, VECTOR, columns, combined, some_rows};
use crate::bulk;
use crate::storage::{CHUNK, LONG};
use crate::tensor::Data;
use quadra_numeric::threads;
use quadra_numeric::wide::{self, Job};
use std::ops::Range;

/// Elements in which a value is looked for at once.
const PIECE: usize = 512;
/// Results that are kept side by side.
const SIDE: usize = 64;

/// The greater (or lesser) of two, a number rather than NaN.
#[inline(always)]
fn better<T: Number>(greatest: bool, x: T, best: T) -> T {
    let wins = if greatest { x > best } else { x < best };
    if wins | best.is_nan() { x } else { best }
}

/// The greater of a result and an element, the result where they are equal: a comparison with NaN does not hold, so that it is passed over.
#[inline(always)]
fn more<T: Number>(best: T, x: T) -> T {
    if x > best { x } else { best }
}

/// The lesser of a result and an element.
#[inline(always)]
fn less<T: Number>(best: T, x: T) -> T {
    if x < best { x } else { best }
}

/// The greatest (or least) of a list; what no number exceeds if there is none.
struct Peak<'a, T>(&'a [T], bool);

impl<T: Number> Job for Peak<'_, T> {
    type Output = T;

    #[inline(always)]
    fn call(self) -> T {
        match self.1 {
            true => peak_of(self.0, T::LEAST, more),
            false => peak_of(self.0, T::MOST, less),
        }
    }
}

#[inline(always)]
fn peak_of<T: Number>(v: &[T], start: T, f: impl Fn(T, T) -> T) -> T {
    let (rows, rest) = v.as_chunks::<SIDE>();
    let mut best = [start; SIDE];
    for row in rows {
        // All are written anew: results that are stored if they change go through memory, by stores under a mask.
        best = std::array::from_fn(|k| f(best[k], row[k]));
    }
    rest.iter().fold(along::by_halves(best, &f), |b, x| f(b, *x))
}

/// The value of the first of the greatest (or least) elements of a list that is not empty; NaN of nothing else.
pub fn peak<T: Number>(v: &[T], greatest: bool) -> T {
    let one = |range: Range<usize>| {
        let v = &v[range];
        let found = wide::run(Peak(v, greatest));
        match found {
            // Nothing exceeded what the search began with.
            x if x == if greatest { T::LEAST } else { T::MOST } => {
                v.iter().skip(1).fold(v[0], |best, x| better(greatest, *x, best))
            }
            // Zeros of both signs are equal.
            x if T::SIGNED_ZEROS && !x.is_set() => v.iter().copied().find(|y| *y == x).unwrap_or(x),
            x => x,
        }
    };
    if v.len() < LONG {
        return one(0..v.len());
    }
    let all = threads::ranges(v.len(), CHUNK, &one);
    all[1..].iter().fold(all[0], |best, x| better(greatest, *x, best))
}

/// The value of the best of each line.
pub fn peaks<T: Number>(v: &[T], axis: Axis, greatest: bool) -> Vec<T> {
    if axis.inner == 1 {
        return each_line(v, axis, |line| peak(line, greatest));
    }
    let start = if greatest { T::LEAST } else { T::MOST };
    let mut found = match greatest {
        true => combined(v, axis, start, more, more),
        false => combined(v, axis, start, less, less),
    };
    for (line, best) in found.iter_mut().enumerate().filter(|(_, best)| **best == start) {
        let base = line / axis.inner * axis.length * axis.inner + line % axis.inner;
        let of = (1..axis.length).map(|k| v[base + k * axis.inner]);
        *best = of.fold(v[base], |best, x| better(greatest, x, best));
    }
    found
}

/// The values of the best of lines of real numbers; nothing for others.
pub fn alone(data: &Data, axis: Axis, greatest: bool) -> Option<Data> {
    macro_rules! kinds {
        ($($kind:ident)*) => {
            match data {
                $(Data::$kind(v) => Some(Data::$kind(peaks(v, axis, greatest))),)*
                _ => None,
            }
        };
    }
    kinds!(F32 F64 F16 Int I32 U8 Mask I8 I16 U16 U32)
}

/// Where the first of the greatest (or least) elements of a list stands; of nothing but NaN the last.
pub fn best_of<T: Number>(v: &[T], greatest: bool) -> usize {
    if v.is_empty() {
        return 0;
    }
    place_of(v, peak(v, greatest))
}

/// Where a list has an element first; the last place where it has none that equals it.
fn place_of<T: Number>(v: &[T], best: T) -> usize {
    // Whole pieces are compared at once.
    let piece = v.chunks(PIECE).position(|p| !bulk::all(p, |x| x != best));
    let Some(piece) = piece else { return v.len() - 1 };
    let from = piece * PIECE;
    from + v[from..].iter().position(|x| *x == best).unwrap_or(0)
}

/// Where the best of each line stands: its number in the line.
pub fn best<T: Number>(v: &[T], axis: Axis, greatest: bool) -> Vec<usize> {
    if axis.inner == 1 {
        return each_line(v, axis, |line| best_of(line, greatest));
    }
    // Lines of nothing but NaN keep what the search begins with.
    let found = peaks(v, axis, greatest);
    let last = u32::try_from(axis.length.saturating_sub(1)).unwrap_or(u32::MAX);
    let places = columns(v, axis, last, &|out, first, row| {
        let best = &found[first..first + out.len()];
        // From the last row to the first one, so that the first of equals is what stays.
        for from in (0..axis.length).step_by(ROWS).rev() {
            some_rows(
                axis.length - from,
                |r| row(from + r),
                |rows| wide::run(Places(&mut *out, rows, best, from as u32)),
            );
        }
    });
    places.into_iter().map(|k| k as usize).collect()
}

/// Notes the numbers of rows, of which the first one is given, where their elements equal the best of their columns.
struct Places<'a, T>(&'a mut [u32], &'a [&'a [T]], &'a [T], u32);

impl<T: Number> Job for Places<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Places(out, rows, best, first) = self;
        let (blocks, rest) = out.as_chunks_mut::<VECTOR>();
        let (best, others) = best.as_chunks::<VECTOR>();
        let done = blocks.len() * VECTOR;
        for (at, block) in blocks.iter_mut().enumerate() {
            let mut found = *block;
            for (r, row) in rows.iter().enumerate().rev() {
                let row = &row[at * VECTOR..][..VECTOR];
                found = std::array::from_fn(|k| if row[k] == best[at][k] { first + r as u32 } else { found[k] });
            }
            *block = found;
        }
        for (r, row) in rows.iter().enumerate().rev() {
            for ((o, x), b) in rest.iter_mut().zip(&row[done..]).zip(others) {
                *o = if x == b { first + r as u32 } else { *o };
            }
        }
    }
}
