//! Products of a matrix and a vector.

use crate::threads;
use crate::wide::{self, Job};

/// Elements of matrices that are multiplied.
pub trait Element: faer::traits::ComplexField + Copy + Default + Send + Sync {
    fn plus(self, product: Self) -> Self;
    fn times(self, other: Self) -> Self;
}

macro_rules! element {
    ($($t:ident),*) => {
        $(impl Element for $t {
            #[inline(always)]
            fn plus(self, product: $t) -> $t {
                self + product
            }

            #[inline(always)]
            fn times(self, other: $t) -> $t {
                self * other
            }
        })*
    };
}
element!(f32, f64);

/// Elements from which several threads pay.
const SHARED: usize = 1 << 18;

/// Sums that are computed together.
const SUMS: usize = 64;

/// The sum of products.
struct Dot<'a, T>(&'a [T], &'a [T]);

impl<T: Element> Job for Dot<'_, T> {
    type Output = T;

    #[inline(always)]
    fn call(self) -> T {
        let ((a, rest), (b, other)) = (self.0.as_chunks::<SUMS>(), self.1.as_chunks::<SUMS>());
        let mut sums = [T::default(); SUMS];
        for (a, b) in a.iter().zip(b) {
            for ((sum, x), y) in sums.iter_mut().zip(a).zip(b) {
                *sum = sum.plus(x.times(*y));
            }
        }
        let mut count = SUMS;
        while count > 1 {
            count /= 2;
            for i in 0..count {
                sums[i] = sums[i].plus(sums[i + count]);
            }
        }
        rest.iter().zip(other).fold(sums[0], |sum, (x, y)| sum.plus(x.times(*y)))
    }
}

/// Of each row of `a` the sum of its products with `x`.
pub fn of_rows<T: Element>(a: &[T], x: &[T], out: &mut [T]) {
    let rows = out.len().div_ceil(if a.len() < SHARED { 1 } else { threads::count() });
    threads::parts(out, rows, &|first, out| {
        let rows = a[first * x.len()..].chunks_exact(x.len());
        out.iter_mut().zip(rows).for_each(|(o, row)| *o = wide::run(Dot(row, x)));
    });
}

/// `out` and the sum of four rows, each times a number.
struct AddRows<'a, T>(&'a mut [T], [&'a [T]; 4], [T; 4]);

impl<T: Element> Job for AddRows<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let AddRows(out, [a, b, c, d], x) = self;
        for ((((o, a), b), c), d) in out.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            let (front, back) = (a.times(x[0]).plus(b.times(x[1])), c.times(x[2]).plus(d.times(x[3])));
            *o = o.plus(front.plus(back));
        }
    }
}

/// Columns whose sums stay in a cache.
const COLUMNS: usize = 1024;

/// Of each column of `b` the sum of its products with `x`, into zeros.
pub fn of_columns<T: Element>(x: &[T], b: &[T], out: &mut [T]) {
    let n = out.len();
    let work = |first: usize, out: &mut [T]| {
        let row = |k: usize| &b[k * n + first..k * n + first + out.len()];
        let (fours, rest) = x.as_chunks::<4>();
        let behind = fours.len() * 4;
        let zero = vec![T::default(); if rest.is_empty() { 0 } else { out.len() }];
        let last = |i: usize| if i < rest.len() { row(behind + i) } else { &zero[..] };
        let end = [0, 1, 2, 3].map(|i| rest.get(i).copied().unwrap_or_default());
        let lines = fours.iter().enumerate().map(|(k, x)| ([0, 1, 2, 3].map(|i| row(4 * k + i)), *x));
        let lines: Vec<_> = lines.chain((!rest.is_empty()).then(|| ([0, 1, 2, 3].map(last), end))).collect();
        lines.into_iter().for_each(|(rows, x)| wide::run(AddRows(&mut *out, rows, x)));
    };
    match b.len() < SHARED {
        true => out.chunks_mut(COLUMNS).enumerate().for_each(|(k, out)| work(k * COLUMNS, out)),
        false => threads::parts(out, COLUMNS.min(n.div_ceil(threads::count()).next_multiple_of(64)), &work),
    }
}
