//! Extremes of lines: their values alone, or where they stand.

use super::along::{Axis, Number, by_rows, each_line};
use crate::bulk::{CHUNK, LONG};
use crate::tensor::Data;
use crate::wide::{self, Job};
use rayon::prelude::*;

/// Elements in which a value is looked for at once.
const PIECE: usize = 128;

/// The greatest (or least) of a list that is not empty, a number rather than NaN.
struct Best<'a, T>(&'a [T], bool);

#[inline(always)]
fn better<T: Number>(greatest: bool, x: T, best: T) -> T {
    let wins = if greatest { x > best } else { x < best };
    if wins | best.is_nan() { x } else { best }
}

impl<T: Number> Job for Best<'_, T> {
    type Output = T;

    #[inline(always)]
    fn call(self) -> T {
        let (rows, rest) = self.0.as_chunks::<32>();
        let mut best = [self.0[0]; 32];
        match self.1 {
            true => rows.iter().for_each(|row| best.iter_mut().zip(row).for_each(|(b, x)| *b = better(true, *x, *b))),
            false => rows.iter().for_each(|row| best.iter_mut().zip(row).for_each(|(b, x)| *b = better(false, *x, *b))),
        }
        best.iter().chain(rest).fold(best[0], |b, x| better(self.1, *x, b))
    }
}

/// The greatest (or least) of a list; what no number exceeds if there is none.
struct Peak<'a, T>(&'a [T], bool);

impl<T: Number> Job for Peak<'_, T> {
    type Output = T;

    #[inline(always)]
    fn call(self) -> T {
        let (rows, rest) = self.0.as_chunks::<64>();
        // A comparison with NaN does not hold, so that it is passed over.
        let more = |best: T, x: T| if x > best { x } else { best };
        let less = |best: T, x: T| if x < best { x } else { best };
        if self.1 {
            let mut best = [T::LEAST; 64];
            rows.iter().for_each(|row| best.iter_mut().zip(row).for_each(|(b, x)| *b = more(*b, *x)));
            best.iter().chain(rest).fold(T::LEAST, |b, x| more(b, *x))
        } else {
            let mut best = [T::MOST; 64];
            rows.iter().for_each(|row| best.iter_mut().zip(row).for_each(|(b, x)| *b = less(*b, *x)));
            best.iter().chain(rest).fold(T::MOST, |b, x| less(b, *x))
        }
    }
}

/// The value of the first of the greatest (or least) elements of a list that is not empty; NaN of nothing else.
pub fn peak<T: Number>(v: &[T], greatest: bool) -> T {
    let one = |v: &[T]| {
        let found = wide::run(Peak(v, greatest));
        match found {
            // Nothing exceeded what the search began with.
            x if x == if greatest { T::LEAST } else { T::MOST } => {
                v.iter().skip(1).fold(v[0], |best, x| better(greatest, *x, best))
            }
            // Zeros of both signs are equal.
            x if !x.is_set() => v.iter().copied().find(|y| *y == x).unwrap_or(x),
            x => x,
        }
    };
    if v.len() < LONG {
        return one(v);
    }
    let all = v.par_chunks(CHUNK).map(one).collect::<Vec<T>>();
    all[1..].iter().fold(all[0], |best, x| better(greatest, *x, best))
}

/// The value of the best of each line.
pub fn peaks<T: Number>(v: &[T], axis: Axis, greatest: bool) -> Vec<T> {
    if axis.inner == 1 {
        return each_line(v, axis, |line| peak(line, greatest));
    }
    let start = if greatest { T::LEAST } else { T::MOST };
    let mut found = by_rows(v, axis, start, |out, row, _| wide::run(PeakRow(out, row, greatest)));
    for (line, best) in found.iter_mut().enumerate().filter(|(_, best)| **best == start) {
        let base = line / axis.inner * axis.length * axis.inner + line % axis.inner;
        let of = (1..axis.length).map(|k| v[base + k * axis.inner]);
        *best = of.fold(v[base], |best, x| better(greatest, x, best));
    }
    found
}

/// The values of the best of lines of the usual types of elements, nothing for others.
pub fn alone(data: &Data, axis: Axis, greatest: bool) -> Option<Data> {
    Some(match data {
        Data::F32(v) => Data::F32(peaks(v, axis, greatest)),
        Data::F64(v) => Data::F64(peaks(v, axis, greatest)),
        Data::Int(v) => Data::Int(peaks(v, axis, greatest)),
        _ => return None,
    })
}

/// Keeps the greater (or lesser) of results and a row, the results where they are equal.
struct PeakRow<'a, T>(&'a mut [T], &'a [T], bool);

impl<T: Number> Job for PeakRow<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let PeakRow(out, row, greatest) = self;
        match greatest {
            true => out.iter_mut().zip(row).for_each(|(o, x)| *o = if *x > *o { *x } else { *o }),
            false => out.iter_mut().zip(row).for_each(|(o, x)| *o = if *x < *o { *x } else { *o }),
        }
    }
}

/// Where the first of the greatest (or least) elements of a list stands; of nothing but NaN the last.
pub fn best_of<T: Number>(v: &[T], greatest: bool) -> usize {
    let chunk = |c: &[T]| wide::run(Best(c, greatest));
    let found = match v.len() < LONG {
        true => v.chunks(CHUNK).map(chunk).reduce(|a, b| better(greatest, b, a)),
        false => v.par_chunks(CHUNK).map(chunk).collect::<Vec<T>>().into_iter().reduce(|a, b| better(greatest, b, a)),
    };
    let Some(best) = found else { return 0 };
    // Whole pieces are compared at once.
    let piece = v.chunks(PIECE).position(|p| p.iter().fold(false, |any, x| any | (*x == best)));
    let Some(piece) = piece else { return v.len() - 1 };
    let from = piece * PIECE;
    from + v[from..].iter().position(|x| *x == best).unwrap_or(0)
}

/// Where the best of each line stands: its number in the line.
pub fn best<T: Number>(v: &[T], axis: Axis, greatest: bool) -> Vec<usize> {
    if axis.inner == 1 {
        return each_line(v, axis, |line| best_of(line, greatest));
    }
    let first: Vec<(T, u32, u32)> = by_rows(v, axis, (v[0], 0, 0), |out, row, _| {
        for (o, x) in out.iter_mut().zip(row) {
            let wins = if greatest { *x > o.0 } else { *x < o.0 };
            let takes = wins | o.0.is_nan() | (o.2 == 0);
            *o = if takes { (*x, o.2, o.2 + 1) } else { (o.0, o.1, o.2 + 1) };
        }
    });
    first.into_iter().map(|o| o.1 as usize).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_are_numbers_and_the_first_of_equals() {
        let nan = f32::NAN;
        for (v, most, least) in [
            (vec![nan, 1.0, -2.0], 1.0, -2.0),
            (vec![f32::NEG_INFINITY, nan], f32::NEG_INFINITY, f32::NEG_INFINITY),
            (vec![-1.0, -0.0, 0.0], -0.0, -1.0),
            (vec![0.0, -0.0, 1.0], 1.0, 0.0),
            (vec![nan; 70], nan, nan),
        ] {
            for (axis, n) in [(Axis::whole(v.len()), 1), (Axis { outer: 1, length: v.len(), inner: 3 }, 3)] {
                let wide: Vec<f32> = v.iter().flat_map(|x| vec![*x; n]).collect();
                let bits = |x: f32| if x.is_nan() { u32::MAX } else { x.to_bits() };
                let found = [true, false].map(|greatest| peaks(&wide, axis, greatest));
                assert!(found[0].iter().all(|x| bits(*x) == bits(most)), "{v:?} {found:?}");
                assert!(found[1].iter().all(|x| bits(*x) == bits(least)), "{v:?} {found:?}");
            }
        }
    }
}
