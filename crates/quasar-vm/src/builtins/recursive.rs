//! Recursive filters of real numbers, in transposed direct form II.

use super::convolve::{Part, real_part};
use super::reduce::Lines;
use super::window::Real;
use crate::storage;
use quadra_numeric::wide::{self, Job};
use std::sync::{Mutex, PoisonError};

/// Coefficients, as many of both and `a[0]` being 1, and the state before the first element of each line.
pub struct Filter<'a> {
    pub b: &'a [f64],
    pub a: &'a [f64],
    pub given: &'a [f64],
}

/// Lines across rows that are filtered together.
const LANES: usize = 16;

impl Filter<'_> {
    /// The filtered lines, and the state behind the last one.
    pub fn of<T: Real>(&self, x: &[T], lines: &Lines) -> (Vec<T>, Vec<f64>) {
        macro_rules! of_order {
            ($($n:literal)*) => {
                match self.b.len() {
                    $($n => self.fixed::<T, $n>(x, lines),)*
                    _ if lines.stride == 1 && self.is_sum(lines.length) => self.sums(x, lines.length),
                    _ => self.any(x, lines),
                }
            };
        }
        of_order!(1 2 3 4 5 6 7 8)
    }

    /// Of an order known to the compiler: the state stays in registers.
    fn fixed<T: Real, const N: usize>(&self, x: &[T], lines: &Lines) -> (Vec<T>, Vec<f64>) {
        let part = |v: &[f64]| -> [f64; N] { std::array::from_fn(|k| v.get(k).copied().unwrap_or_default()) };
        let (b, a, given) = (part(self.b), part(self.a), part(self.given));
        let mut out: Vec<T> = storage::storage(x.len());
        let (n, stride) = (lines.length, lines.stride);
        let mut state = given;
        if out.is_empty() {
            return (out, self.given.to_vec());
        }
        if stride == 1 {
            let last = Mutex::new(given);
            storage::each_line(&mut out, n, N, |k, out| {
                let mut state = given;
                line(&b, &a, &x[k * n..(k + 1) * n], out, &mut state);
                if (k + 1) * n == x.len() {
                    *last.lock().unwrap_or_else(PoisonError::into_inner) = state;
                }
            });
            state = last.into_inner().unwrap_or_else(PoisonError::into_inner);
        } else {
            for (out, x) in out.chunks_mut(n * stride).zip(x.chunks(n * stride)) {
                for first in (0..stride).step_by(LANES) {
                    state = wide::run(Across { b: &b, a: &a, given: &given, x, out: &mut *out, first, stride });
                }
            }
        }
        (out, state[..N - 1].to_vec())
    }

    /// Of any order.
    pub fn any<T: Real>(&self, x: &[T], lines: &Lines) -> (Vec<T>, Vec<f64>) {
        let mut out: Vec<T> = storage::storage(x.len());
        let mut state = self.given.to_vec();
        for start in &lines.starts {
            state.copy_from_slice(self.given);
            for i in lines.items(*start) {
                out[i] = T::near(self.step(x[i].double(), &mut state));
            }
        }
        (out, state)
    }

    fn step(&self, x: f64, state: &mut [f64]) -> f64 {
        let last = state.len();
        let y = self.b[0] * x + state[0];
        for k in 1..last {
            state[k - 1] = self.b[k] * x + state[k] - self.a[k] * y;
        }
        state[last - 1] = self.b[last] * x + 0.0 - self.a[last] * y;
        y
    }

    /// Whether nothing comes back, so that results are sums of products, and lines are long enough.
    fn is_sum(&self, n: usize) -> bool {
        self.a[1..].iter().all(|a| *a == 0.0) && self.b.iter().all(|b| b.is_finite()) && n >= 4 * self.b.len()
    }

    fn sums<T: Real>(&self, x: &[T], n: usize) -> (Vec<T>, Vec<f64>) {
        let b: Vec<T> = self.b.iter().map(|b| T::near(*b)).collect();
        // Coefficients of singles may be doubles.
        let exact = b.iter().zip(self.b).all(|(x, b)| x.double() == *b);
        let mut out: Vec<T> = storage::storage(x.len());
        let part = Part { rows: (0, 1), columns: (0, n) };
        let mut state = self.given.to_vec();
        for (out, x) in out.chunks_mut(n).zip(x.chunks(n)) {
            match exact {
                true => out.copy_from_slice(&real_part(x, [1, n], &b, [1, b.len()], part)),
                false => {
                    let x: Vec<f64> = x.iter().map(|x| x.double()).collect();
                    let sums = real_part(&x, [1, n], self.b, [1, b.len()], part);
                    out.iter_mut().zip(sums).for_each(|(o, y)| *o = T::near(y));
                }
            }
            // What was in the state before, and what the last elements leave there.
            state.copy_from_slice(self.given);
            for (o, x) in out.iter_mut().zip(x).take(state.len()) {
                *o = T::near(self.step(x.double(), &mut state));
            }
            state.fill(0.0);
            for x in &x[n - state.len()..] {
                self.step(x.double(), &mut state);
            }
        }
        (out, state)
    }
}

/// Filters a line; `state` is used up to its last element but one.
fn line<T: Real, const N: usize>(b: &[f64; N], a: &[f64; N], x: &[T], out: &mut [T], state: &mut [f64; N]) {
    if N == 1 {
        return out.iter_mut().zip(x).for_each(|(o, x)| *o = T::near(b[0] * x.double() + 0.0));
    }
    let Some((first, x)) = x.split_first() else { return };
    let mut s = *state;
    s[N - 1] = 0.0;
    // The last result is taken off at last, so that the next one waits for it no longer than for a product and a difference.
    let mut y = b[0] * first.double() + s[0];
    let after = |x: f64, y: f64, s: &mut [f64; N]| {
        s[0] = b[1] * x + s[1];
        for k in 2..N {
            s[k - 1] = (b[k] * x + s[k]) - a[k] * y;
        }
    };
    after(first.double(), y, &mut s);
    out[0] = T::near(y);
    for (o, x) in out[1..].iter_mut().zip(x) {
        let x = x.double();
        y = (b[0] * x + s[0]) - a[1] * y;
        after(x, y, &mut s);
        *o = T::near(y);
    }
    s[0] -= a[1] * y;
    *state = s;
}

/// Filters lines across the rows of an array from column `first` on; gives the state behind the last one.
struct Across<'a, T, const N: usize> {
    b: &'a [f64; N],
    a: &'a [f64; N],
    given: &'a [f64; N],
    x: &'a [T],
    out: &'a mut [T],
    first: usize,
    stride: usize,
}

impl<T: Real, const N: usize> Job for Across<'_, T, N> {
    type Output = [f64; N];

    #[inline(always)]
    fn call(self) -> [f64; N] {
        let Across { b, a, given, x, out, first, stride } = self;
        let count = LANES.min(stride - first);
        let mut s = given.map(|s| [s; LANES]);
        s[N - 1] = [0.0; LANES];
        for (out, x) in out.chunks_mut(stride).zip(x.chunks(stride)) {
            let (mut now, mut y) = ([0.0; LANES], [0.0; LANES]);
            now.iter_mut().zip(&x[first..first + count]).for_each(|(n, x)| *n = x.double());
            for l in 0..LANES {
                y[l] = b[0] * now[l] + s[0][l];
                for k in 1..N {
                    s[k - 1][l] = b[k] * now[l] + s[k][l] - a[k] * y[l];
                }
            }
            out[first..first + count].iter_mut().zip(&y).for_each(|(o, y)| *o = T::near(*y));
        }
        s.map(|s| s[count - 1])
    }
}
