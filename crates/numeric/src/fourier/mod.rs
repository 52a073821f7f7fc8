//! Fourier transforms of lines of numbers in single and in double precision.

pub mod convolution;
pub mod cosine;
mod lines;
mod plan;
mod real;

use crate::threads;
pub use convolution::{convolved, convolved_lines};
pub use cosine::cosines;
pub use lines::fast_length;
use lines::{Columns, Finish, SHARED, columns, conjugate, each_row};
pub use plan::{Number, forget};
use real::Real;
pub use rustfft::num_complex::Complex;

/// Transforms along the dimensions `sizes`, the last ones of an array with these elements; the inverse is scaled by 1/N.
pub fn of_complex<T: Number>(values: &mut [Complex<T>], sizes: &[usize], inverse: bool) {
    let sizes = proper(sizes);
    let Some((n, others)) = sizes.split_last() else { return };
    let scale = if inverse { T::near(1.0 / sizes.iter().product::<usize>() as f64) } else { T::one() };
    let at_last = |last: bool| if last { Finish(scale, scale) } else { Finish::none() };
    rows(values, *n, inverse, at_last(others.is_empty()));
    let mut inner = *n;
    for (k, m) in others.iter().enumerate().rev() {
        columns(values, Columns { n: *m, inner, row: *n, used: *n, inverse }, at_last(k == 0));
        inner *= m;
    }
}

/// As [`of_complex`], of the real numbers `x`, into `out`, which has as many elements.
pub fn of_real<T: Number>(x: &[T], out: &mut [Complex<T>], sizes: &[usize], inverse: bool) {
    let sizes = proper(sizes);
    let Some((n, others)) = sizes.split_last() else {
        return out.iter_mut().zip(x).for_each(|(o, x)| *o = Complex::new(*x, T::zero()));
    };
    // The inverse of real numbers is the conjugate of their transform.
    let scale = if inverse { T::near(1.0 / sizes.iter().product::<usize>() as f64) } else { T::one() };
    let at_last = |last: bool| match last {
        true => Finish(scale, if inverse { -scale } else { scale }),
        false => Finish::none(),
    };
    real_rows(x, out, *n, at_last(others.is_empty()));
    if others.is_empty() {
        return;
    }
    let mut inner = *n;
    for (k, m) in others.iter().enumerate().rev() {
        columns(out, Columns { n: *m, inner, row: *n, used: n / 2 + 1, inverse: false }, at_last(k == 0));
        inner *= m;
    }
    mirrored(out, *n, others);
}

/// The dimensions along which there is something to do.
fn proper(sizes: &[usize]) -> Vec<usize> {
    sizes.iter().copied().filter(|n| *n != 1).collect()
}

/// Transforms every row of `n` numbers.
fn rows<T: Number>(values: &mut [Complex<T>], n: usize, inverse: bool, finish: Finish<T>) {
    if n == 0 || values.is_empty() {
        return;
    }
    let plan = plan::plan::<T>(n, inverse);
    let room = || vec![Complex::default(); plan.get_inplace_scratch_len()];
    let work = |room: &mut Vec<Complex<T>>, row: &mut [Complex<T>]| {
        plan.process_with_scratch(row, room);
        finish.of(row);
    };
    each_row(values.chunks_exact_mut(n).collect(), n, room, work);
}

/// Coefficients of every row of `n` real numbers: all of a single dimension, else the first n/2+1 of them.
fn real_rows<T: Number>(x: &[T], out: &mut [Complex<T>], n: usize, finish: Finish<T>) {
    if n == 0 || out.is_empty() {
        return;
    }
    let half = n / 2;
    let mirror = |row: &mut [Complex<T>]| {
        finish.of(&mut row[..=half]);
        let (low, high) = row.split_at_mut(half + 1);
        high.iter_mut().rev().zip(&low[1..]).for_each(|(o, z)| *o = conjugate(*z));
    };
    let rows = out.chunks_exact_mut(n).zip(x.chunks_exact(n));
    if !n.is_multiple_of(2) {
        let plan = plan::plan::<T>(n, false);
        let room = || vec![Complex::default(); plan.get_inplace_scratch_len()];
        return each_row(rows.collect(), n, room, |room, (row, x)| {
            row.iter_mut().zip(x).for_each(|(o, x)| *o = Complex::new(*x, T::zero()));
            plan.process_with_scratch(row, room);
            mirror(row);
        });
    }
    let plan = Real::<T>::new(n, false);
    let work = |room: &mut Vec<Complex<T>>, (row, x): (&mut [Complex<T>], &[T])| {
        T::parts(row)[..n].copy_from_slice(x);
        plan.forth(row, room);
        mirror(row);
    };
    each_row(rows.collect(), n, || plan.room(), work);
}

/// Fills the elements behind n/2 of rows of `n` coefficients of real numbers, transformed along dimensions `others`, too: each is the
/// conjugate of the one at the opposite place.
fn mirrored<T: Number>(values: &mut [Complex<T>], n: usize, others: &[usize]) {
    let half = n / 2 + 1;
    let mut low: Vec<&[Complex<T>]> = Vec::new();
    let mut high: Vec<&mut [Complex<T>]> = Vec::new();
    for row in values.chunks_exact_mut(n) {
        let (a, b) = row.split_at_mut(half);
        low.push(a);
        high.push(b);
    }
    let opposite = |r: usize| {
        let (mut rest, mut step, mut out) = (r, 1, 0);
        for m in others.iter().rev() {
            out += (m - rest % m) % m * step;
            rest /= m;
            step *= m;
        }
        out + rest * step
    };
    threads::parts(&mut high, SHARED.div_ceil(n), &|first, rows| {
        for (row, r) in rows.iter_mut().zip(first..) {
            row.iter_mut().rev().zip(&low[opposite(r)][1..]).for_each(|(o, z)| *o = conjugate(*z));
        }
    });
}
