//! Cosine transforms by Fourier transforms of real numbers (Makhoul, "A fast cosine transform in one and two dimensions", 1980).

use super::lines::each_row;
use super::plan::{self, Number};
use super::real::Real;
use crate::wide::{self, Job};
use rustfft::Fft;
use rustfft::num_complex::Complex;
use std::sync::Arc;

/// The orthonormal cosine transform of type II of every row of `n` numbers, or its inverse.
pub fn cosines<T: Number>(x: &[T], out: &mut [T], n: usize, inverse: bool) {
    if n == 0 || out.is_empty() {
        return;
    }
    let plan = Plan::<T>::new(n, inverse);
    let rows = out.chunks_exact_mut(n).zip(x.chunks_exact(n));
    each_row(rows.collect(), n, || plan.room(), |room, (out, x)| plan.run(x, out, room));
}

/// The Fourier transform within: of half the length for even ones.
enum Inner<T: Number> {
    Even(Real<T>),
    Odd(Arc<dyn Fft<T>>),
}

/// The transform of rows of one length.
struct Plan<T: Number> {
    inner: Inner<T>,
    /// exp(-pi*i*k/(2n)).
    turns: Arc<[Complex<T>]>,
    inverse: bool,
    n: usize,
}

/// A line of coefficients and what the Fourier transform needs.
struct Room<T>(Vec<Complex<T>>, Vec<Complex<T>>);

impl<T: Number> Plan<T> {
    fn new(n: usize, inverse: bool) -> Plan<T> {
        let inner = match n % 2 {
            0 => Inner::Even(Real::new(n, inverse)),
            _ => Inner::Odd(plan::plan(n, inverse)),
        };
        Plan { inner, turns: plan::turns(4 * n, if n.is_multiple_of(2) { 8 } else { 4 }), inverse, n }
    }

    fn room(&self) -> Room<T> {
        match &self.inner {
            Inner::Even(plan) => Room(vec![Complex::default(); self.n / 2 + 1], plan.room()),
            Inner::Odd(plan) => {
                Room(vec![Complex::default(); self.n], vec![Complex::default(); plan.get_inplace_scratch_len()])
            }
        }
    }

    fn run(&self, x: &[T], out: &mut [T], Room(line, room): &mut Room<T>) {
        match (&self.inner, self.inverse) {
            (Inner::Even(plan), false) => {
                wide::run(Arrange(x, &mut T::parts(line)[..self.n]));
                plan.forth(line, room);
                self.turned(line, out);
            }
            (Inner::Even(plan), true) => {
                self.turned_back(x, line);
                plan.back(line, room);
                wide::run(Rearrange(&T::parts(line)[..self.n], out));
            }
            (Inner::Odd(plan), _) => self.odd(plan.as_ref(), x, out, (line, room)),
        }
    }

    /// From coefficients 0 to n/2 of the rearranged row to those of the cosine transform.
    fn turned(&self, line: &[Complex<T>], out: &mut [T]) {
        let (n, half) = (self.n, self.n / 2);
        out[0] = line[0].re * T::near((1.0 / n as f64).sqrt());
        out[half] = line[half].re * T::near((1.0 / n as f64).sqrt());
        let (low, high) = out.split_at_mut(half + 1);
        let scale = T::near((2.0 / n as f64).sqrt());
        wide::run(Turn { line: &line[1..half], turns: &self.turns[1..half], scale, low: &mut low[1..half], high });
    }

    /// From those of the cosine transform to n-th parts of coefficients 0 to n/2 of the rearranged row.
    fn turned_back(&self, x: &[T], line: &mut [Complex<T>]) {
        let (n, half) = (self.n, self.n / 2);
        line[0] = Complex::new(x[0] * T::near((1.0 / n as f64).sqrt()), T::zero());
        line[half] = Complex::new(x[half] * T::near((1.0 / n as f64).sqrt()), T::zero());
        let (low, high) = x.split_at(half + 1);
        let scale = T::near((0.5 / n as f64).sqrt());
        wide::run(TurnBack { low: &low[1..half], high, turns: &self.turns[1..half], scale, line: &mut line[1..half] });
    }

    /// A row of odd length, as complex numbers.
    fn odd(&self, plan: &dyn Fft<T>, x: &[T], out: &mut [T], (line, room): (&mut [Complex<T>], &mut [Complex<T>])) {
        let n = self.n;
        let place = |k: usize| if k.is_multiple_of(2) { k / 2 } else { n - 1 - k / 2 };
        let first = T::near((1.0 / n as f64).sqrt());
        if !self.inverse {
            x.iter().enumerate().for_each(|(k, x)| line[place(k)] = Complex::new(*x, T::zero()));
            plan.process_with_scratch(line, room);
            let scale = T::near((2.0 / n as f64).sqrt());
            for ((o, z), w) in out.iter_mut().zip(&*line).zip(&*self.turns) {
                *o = (z.re * w.re - z.im * w.im) * scale;
            }
            out[0] = line[0].re * first;
            return;
        }
        let scale = T::near((0.5 / n as f64).sqrt());
        line[0] = Complex::new(x[0] * first, T::zero());
        for k in 1..n {
            line[k] = Complex::new(x[k], -x[n - k]) * self.turns[k].conj() * scale;
        }
        plan.process_with_scratch(line, room);
        out.iter_mut().enumerate().for_each(|(k, o)| *o = line[place(k)].re);
    }
}

/// Even elements go forth, odd ones back.
struct Arrange<'a, T>(&'a [T], &'a mut [T]);

impl<T: Number> Job for Arrange<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let (front, back) = self.1.split_at_mut(self.0.len() / 2);
        for ((x, o), p) in self.0.as_chunks::<2>().0.iter().zip(front).zip(back.iter_mut().rev()) {
            (*o, *p) = (x[0], x[1]);
        }
    }
}

/// The way back.
struct Rearrange<'a, T>(&'a [T], &'a mut [T]);

impl<T: Number> Job for Rearrange<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let (front, back) = self.0.split_at(self.0.len() / 2);
        for ((o, x), y) in self.1.as_chunks_mut::<2>().0.iter_mut().zip(front).zip(back.iter().rev()) {
            *o = [*x, *y];
        }
    }
}

/// Coefficient k gives element k and, at the mirrored place, element n-k.
struct Turn<'a, T> {
    line: &'a [Complex<T>],
    turns: &'a [Complex<T>],
    scale: T,
    low: &'a mut [T],
    high: &'a mut [T],
}

impl<T: Number> Job for Turn<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Turn { line, turns, scale, low, high } = self;
        for (((z, w), o), p) in line.iter().zip(turns).zip(low).zip(high.iter_mut().rev()) {
            *o = (z.re * w.re - z.im * w.im) * scale;
            *p = -(z.re * w.im + z.im * w.re) * scale;
        }
    }
}

/// The way back.
struct TurnBack<'a, T> {
    low: &'a [T],
    high: &'a [T],
    turns: &'a [Complex<T>],
    scale: T,
    line: &'a mut [Complex<T>],
}

impl<T: Number> Job for TurnBack<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let TurnBack { low, high, turns, scale, line } = self;
        for (((z, w), x), y) in line.iter_mut().zip(turns).zip(low).zip(high.iter().rev()) {
            *z = Complex::new((*x * w.re - *y * w.im) * scale, -(*x * w.im + *y * w.re) * scale);
        }
    }
}
