//! Fourier transforms of lines of numbers in single and in double precision.

mod convolution;
mod cosine;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn value(k: usize) -> f64 {
        ((k * 7919 + 13) % 1009) as f64 / 500.0 - 1.0
    }

    /// Along the last dimensions by the definition.
    fn slow(values: &[Complex<f64>], sizes: &[usize], inverse: bool) -> Vec<Complex<f64>> {
        let (mut out, mut inner) = (values.to_vec(), 1);
        for n in sizes.iter().rev() {
            let before = out.clone();
            for (i, o) in out.iter_mut().enumerate() {
                let (k, at) = (i / inner % n, i - i / inner % n * inner);
                let turn = |j: usize| Complex::cis((j * k % n) as f64 / *n as f64 * std::f64::consts::TAU);
                *o = (0..*n)
                    .map(|j| before[at + j * inner] * if inverse { turn(j) / *n as f64 } else { turn(j).conj() })
                    .sum();
            }
            inner *= n;
        }
        out
    }

    #[test]
    fn transforms_are_sums_of_turned_numbers() {
        let sizes: [&[usize]; 16] = [
            &[1],
            &[2],
            &[3],
            &[4],
            &[6],
            &[7],
            &[30],
            &[64],
            &[97],
            &[5, 4],
            &[4, 5],
            &[17, 1],
            &[16, 24],
            &[3, 1, 8],
            &[4, 3, 5],
            &[18, 17, 6],
        ];
        for sizes in sizes {
            let n = 2 * sizes.iter().product::<usize>();
            let real: Vec<f64> = (0..n).map(value).collect();
            let complex: Vec<Complex<f64>> = (0..n).map(|k| Complex::new(value(k), value(3 * k + 1))).collect();
            let as_complex: Vec<Complex<f64>> = real.iter().map(|x| Complex::new(*x, 0.0)).collect();
            for inverse in [false, true] {
                let mut out = complex.clone();
                of_complex(&mut out, sizes, inverse);
                let want = slow(&complex, sizes, inverse);
                assert!(out.iter().zip(&want).all(|(a, b)| (a - b).norm() < 1e-10), "{sizes:?}");
                of_real(&real, &mut out, sizes, inverse);
                let want = slow(&as_complex, sizes, inverse);
                assert!(out.iter().zip(&want).all(|(a, b)| (a - b).norm() < 1e-10), "{sizes:?}");
                let single: Vec<f32> = real.iter().map(|x| *x as f32).collect();
                let mut near = vec![Complex::default(); n];
                of_real(&single, &mut near, sizes, inverse);
                let distance =
                    |a: &Complex<f32>, b: &Complex<f64>| (f64::from(a.re) - b.re).hypot(f64::from(a.im) - b.im);
                assert!(near.iter().zip(&want).all(|(a, b)| distance(a, b) < 1e-3), "{sizes:?}");
            }
        }
        assert_eq!((fast_length(1), fast_length(7), fast_length(1025), fast_length(0)), (1, 8, 1080, 1));
    }

    #[test]
    fn long_arrays_are_shared_and_come_back() {
        for sizes in [vec![40_000], vec![50, 999], vec![4, 100, 98], vec![9973, 3]] {
            let n = sizes.iter().product::<usize>();
            let real: Vec<f64> = (0..n).map(value).collect();
            let mut out = vec![Complex::default(); n];
            of_real(&real, &mut out, &sizes, false);
            assert!((out[0].re - real.iter().sum::<f64>()).abs() < 1e-9);
            of_complex(&mut out, &sizes, true);
            assert!(out.iter().zip(&real).all(|(z, x)| (z.re - x).abs() < 1e-12 && z.im.abs() < 1e-12), "{sizes:?}");
        }
        forget();
    }
}
