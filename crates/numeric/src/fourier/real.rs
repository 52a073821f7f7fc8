//! Transforms of lines of real numbers of an even length by complex ones of half of it.

use super::lines::conjugate;
use super::plan::{self, Number};
use crate::wide::{self, Job};
use rustfft::Fft;
use rustfft::num_complex::Complex;
use std::sync::Arc;

/// The transform of lines of `n` real numbers, n being even, or the way back.
pub struct Real<T: Number> {
    plan: Arc<dyn Fft<T>>,
    turns: Arc<[Complex<T>]>,
}

impl<T: Number> Real<T> {
    /// Of lines of `n` numbers; `n` is even and not 0.
    pub fn new(n: usize, inverse: bool) -> Real<T> {
        Real { plan: plan::plan(n / 2, inverse), turns: plan::turns(n, 4) }
    }

    /// Room that a transform needs.
    pub fn room(&self) -> Vec<Complex<T>> {
        vec![Complex::default(); self.plan.get_inplace_scratch_len()]
    }

    /// From the numbers of a line, two by two in the first n/2 elements, to its coefficients 0 to n/2.
    pub fn forth(&self, line: &mut [Complex<T>], room: &mut [Complex<T>]) {
        let half = self.plan.len();
        let line = &mut line[..=half];
        self.plan.process_with_scratch(&mut line[..half], room);
        let first = line[0];
        line[0] = Complex::new(first.re + first.im, T::zero());
        line[half] = Complex::new(first.re - first.im, T::zero());
        if half.is_multiple_of(2) {
            line[half / 2] = conjugate(line[half / 2]);
        }
        let (low, high) = pairs(line, half);
        wide::run(Untangle(low, high, &self.turns[1..]));
    }

    /// From coefficients 0 to n/2 to n times the numbers of the line, two by two in the first n/2 elements.
    pub fn back(&self, line: &mut [Complex<T>], room: &mut [Complex<T>]) {
        let half = self.plan.len();
        let line = &mut line[..=half];
        let (first, last) = (line[0].re, line[half].re);
        line[0] = Complex::new(first + last, first - last);
        if half.is_multiple_of(2) {
            let middle = line[half / 2];
            line[half / 2] = Complex::new(middle.re + middle.re, -(middle.im + middle.im));
        }
        let (low, high) = pairs(line, half);
        wide::run(Tangle(low, high, &self.turns[1..]));
        self.plan.process_with_scratch(&mut line[..half], room);
    }
}

/// Elements k and half-k as element k-1 of the first slice and as element -k of the second, for all k below half/2.
fn pairs<T>(line: &mut [Complex<T>], half: usize) -> (&mut [Complex<T>], &mut [Complex<T>]) {
    let count = half.saturating_sub(1) / 2;
    let (low, high) = line[..half].split_at_mut(half - count);
    (&mut low[1..=count], high)
}

/// From coefficients of numbers two by two to those of the line: with Z one of them and Y the conjugate of the one at the mirrored
/// place, E = (Z+Y)/2 belongs to the numbers at even places and O = (Z-Y)/2i to the others.
struct Untangle<'a, T>(&'a mut [Complex<T>], &'a mut [Complex<T>], &'a [Complex<T>]);

impl<T: Number> Job for Untangle<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let half = T::near(0.5);
        for ((z, y), w) in self.0.iter_mut().zip(self.1.iter_mut().rev()).zip(self.2) {
            let (even_re, even_im) = ((z.re + y.re) * half, (z.im - y.im) * half);
            let (odd_re, odd_im) = ((z.im + y.im) * half, (y.re - z.re) * half);
            let (re, im) = (w.re * odd_re - w.im * odd_im, w.re * odd_im + w.im * odd_re);
            *z = Complex::new(even_re + re, even_im + im);
            *y = Complex::new(even_re - re, im - even_im);
        }
    }
}

/// The way back, times 2.
struct Tangle<'a, T>(&'a mut [Complex<T>], &'a mut [Complex<T>], &'a [Complex<T>]);

impl<T: Number> Job for Tangle<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for ((z, y), w) in self.0.iter_mut().zip(self.1.iter_mut().rev()).zip(self.2) {
            let (even_re, even_im) = (z.re + y.re, z.im - y.im);
            let (re, im) = (z.re - y.re, z.im + y.im);
            let (odd_re, odd_im) = (re * w.re + im * w.im, im * w.re - re * w.im);
            *z = Complex::new(even_re - odd_im, even_im + odd_re);
            *y = Complex::new(even_re + odd_im, odd_re - even_im);
        }
    }
}
