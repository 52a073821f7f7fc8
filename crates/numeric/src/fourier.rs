//! Fourier transforms of lines of complex numbers in double precision.

use rayon::prelude::*;
pub use rustfft::num_complex::Complex;
use rustfft::{Fft, FftPlanner};
use std::sync::Arc;

/// The transform of lines of one length. The inverse is not scaled.
pub struct Plan(Arc<dyn Fft<f64>>);

impl Plan {
    /// A plan for lines of `n` numbers.
    pub fn new(n: usize, inverse: bool) -> Plan {
        let mut planner = FftPlanner::new();
        Plan(if inverse { planner.plan_fft_inverse(n) } else { planner.plan_fft_forward(n) })
    }

    /// Transforms a line of the plan's length in place.
    pub fn run(&self, line: &mut [Complex<f64>]) {
        self.0.process(line);
    }
}

/// The least length from `n` on of which a transform is quick: a product of 2, 3 and 5.
pub fn fast_length(n: usize) -> usize {
    let smooth = |mut n: usize| {
        for p in [2, 3, 5] {
            while n.is_multiple_of(p) {
                n /= p;
            }
        }
        n == 1
    };
    (n.max(1)..).find(|n| smooth(*n)).unwrap_or(n)
}

/// Transforms every row of `n` numbers, by several threads.
pub fn rows(values: &mut [Complex<f64>], n: usize, inverse: bool) {
    if n < 2 {
        return;
    }
    let plan = Plan::new(n, inverse);
    let room = || vec![Complex::default(); plan.0.get_inplace_scratch_len()];
    if values.len() < SHARED {
        let mut room = room();
        values.chunks_exact_mut(n).for_each(|row| plan.0.process_with_scratch(row, &mut room));
        return;
    }
    let work = |room: &mut Vec<Complex<f64>>, row: &mut [Complex<f64>]| plan.0.process_with_scratch(row, room);
    values.par_chunks_exact_mut(n).with_min_len((SHARED / 4).div_ceil(n)).for_each_init(room, work);
}

/// Numbers from which several threads pay.
const SHARED: usize = 1 << 14;

/// Rows and columns exchanged, of each of several matrices with `m` rows and `n` columns that lie one behind the other.
pub fn exchanged(values: &[Complex<f64>], m: usize, n: usize) -> Vec<Complex<f64>> {
    const TILE: usize = 8;
    let mut out = vec![Complex::default(); values.len()];
    if out.is_empty() {
        return out;
    }
    let tiles = out
        .chunks_mut(m * n)
        .zip(values.chunks(m * n))
        .flat_map(|(out, matrix)| out.chunks_mut(TILE * m).enumerate().map(move |(t, out)| (t * TILE, out, matrix)));
    let work = |(first, out, matrix): (usize, &mut [Complex<f64>], &[Complex<f64>])| {
        let columns = out.len() / m;
        for from in (0..m).step_by(TILE) {
            for c in 0..columns {
                for i in from..(from + TILE).min(m) {
                    out[c * m + i] = matrix[i * n + first + c];
                }
            }
        }
    };
    match values.len() < SHARED {
        true => tiles.for_each(work),
        false => tiles.collect::<Vec<_>>().into_par_iter().for_each(work),
    }
    out
}

/// The full convolution of two matrices with `m` and `n` columns, h×w numbers, by their Fourier transforms: one is the real, the other the
/// imaginary part of one matrix.
pub fn convolved(a: &[f64], m: usize, b: &[f64], n: usize, [h, w]: [usize; 2]) -> Vec<f64> {
    let (rows_of, columns_of) = (fast_length(h), fast_length(w));
    let mut z = vec![Complex::default(); rows_of * columns_of];
    for (row, line) in a.chunks_exact(m).zip(z.chunks_exact_mut(columns_of)) {
        row.iter().zip(line).for_each(|(x, z)| z.re = *x);
    }
    for (row, line) in b.chunks_exact(n).zip(z.chunks_exact_mut(columns_of)) {
        row.iter().zip(line).for_each(|(x, z)| z.im = *x);
    }
    rows(&mut z, columns_of, false);
    let mut z = exchanged(&z, rows_of, columns_of);
    rows(&mut z, rows_of, false);
    // With A and B the transforms of both, z is A + iB, and the conjugate of its mirror image is A - iB for real numbers.
    let total = z.len();
    let mirror = |k: usize| {
        let (c, r) = (k / rows_of, k % rows_of);
        (columns_of - c) % columns_of * rows_of + (rows_of - r) % rows_of
    };
    let scale = 0.25 / total as f64;
    let mut product: Vec<Complex<f64>> = vec![Complex::default(); total];
    product.par_chunks_mut(rows_of).enumerate().for_each(|(c, out)| {
        for (r, p) in out.iter_mut().enumerate() {
            let (own, other) = (z[c * rows_of + r], z[mirror(c * rows_of + r)].conj());
            // (z + z*)/2 times (z - z*)/(2i).
            let (sum, difference) = (own + other, own - other);
            *p = sum * Complex::new(difference.im, -difference.re) * scale;
        }
    });
    rows(&mut product, rows_of, true);
    let mut product = exchanged(&product, columns_of, rows_of);
    rows(&mut product, columns_of, true);
    product.chunks_exact(columns_of).take(h).flat_map(|line| line[..w].iter().map(|z| z.re)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transform_and_its_inverse_give_the_line_times_its_length() {
        let line: Vec<Complex<f64>> = (0..31).map(|k| Complex::new(f64::from(k * k % 7), f64::from(k % 3))).collect();
        let mut there_and_back = line.clone();
        Plan::new(31, false).run(&mut there_and_back);
        assert!((there_and_back[0] - line.iter().sum::<Complex<f64>>()).norm() < 1e-12);
        Plan::new(31, true).run(&mut there_and_back);
        assert!(line.iter().zip(&there_and_back).all(|(a, b)| (a * 31.0 - b).norm() < 1e-11));
    }

    #[test]
    fn convolutions_are_sums_of_products() {
        for ([p, m], [q, n]) in [([1, 1000], [1, 77]), ([40, 30], [7, 9]), ([64, 200], [33, 1]), ([5, 1], [300, 1])] {
            let value = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 500.0 - 1.0;
            let a: Vec<f64> = (0..p * m).map(value).collect();
            let b: Vec<f64> = (0..q * n).map(|k| value(3 * k + 1)).collect();
            let (h, w) = (p + q - 1, m + n - 1);
            let mut want = vec![0.0; h * w];
            for (i, x) in a.iter().enumerate() {
                for (j, y) in b.iter().enumerate() {
                    want[(i / m + j / n) * w + i % m + j % n] += x * y;
                }
            }
            let out = convolved(&a, m, &b, n, [h, w]);
            assert!(out.iter().zip(&want).all(|(x, y)| (x - y).abs() < 1e-10), "{p}x{m} {q}x{n}");
        }
        assert_eq!((fast_length(1), fast_length(7), fast_length(1025), fast_length(0)), (1, 8, 1080, 1));
    }
}
