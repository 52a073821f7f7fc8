//! Convolution of vectors and matrices.

use super::Call;
use super::window::{Real, Weigh};
use crate::arith::{complex_data, to_c64, to_f64};
use crate::fault::{Res, fault};
use crate::storage::{self, LONG, lines_at_a_time};
use crate::tensor::{Data, Shape, Tensor, real_data};
use crate::value::Value;
use quadra_numeric::fourier;
use quadra_numeric::threads;
use quadra_numeric::wide::{self, Job};
use std::rc::Rc;

/// First row and column of the part of a full convolution that is asked for, and its lengths.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub rows: (usize, usize),
    pub columns: (usize, usize),
}

/// Convolution of two matrices or vectors: all of it, the middle with the size of the first, or where the second lies inside it.
/// Of a column and a row the second lies as the first does, if they are to be `aligned`.
pub(super) fn convolve(call: &mut Call, aligned: bool) -> Res<Value> {
    if call.args.len() > 2 && matches!(call.args[2], Value::Array(_)) {
        return convolve_columns_and_rows(call);
    }
    let (x, mut y) = (call.tensor(0)?, call.tensor(1)?);
    if aligned && x.shape.len() == 2 && x.len() > 1 && x.shape[1] == 1 && y.is_vector() {
        // The result of two vectors has the form of the first.
        y = Rc::new(y.reshaped(Shape::from_slice(&[y.len(), 1])));
    } else if aligned && x.is_vector() && x.len() > 1 && y.shape.len() == 2 && y.shape[1] == 1 {
        y = Rc::new(y.reshaped(Shape::from_slice(&[1, y.len()])));
    }
    if x.shape.len() > 2 || y.shape.len() > 2 || x.is_empty() || y.is_empty() {
        return Err(call.wrong(0, "vectors or matrices"));
    }
    let (h, w) = (x.shape[0] + y.shape[0] - 1, x.shape[1] + y.shape[1] - 1);
    if !crate::memory::fits(h.saturating_mul(w).saturating_mul(16)) {
        fault!("Q0310", "out of memory: a convolution of size {h}x{w}"; "raise the limit with --max-memory");
    }
    let part = if call.args.len() > 2 { call.text(2)? } else { "full" };
    let range = |d: usize, n: usize| match part {
        "full" => Some((0, n)),
        "same" => Some((y.shape[d] / 2, x.shape[d])),
        "valid" => Some((y.shape[d] - 1, (x.shape[d] + 1).saturating_sub(y.shape[d]))),
        _ => None,
    };
    let (Some(rows), Some(columns)) = (range(0, h), range(1, w)) else {
        fault!("Q0314", "'{}' knows no part \"{part}\"", call.name; "full, same or valid");
    };
    let part = Part { rows, columns };
    let is_double = |t: &Tensor| matches!(*t.data.borrow(), Data::F64(_) | Data::C64(_));
    let double = call.double() || is_double(&x) || is_double(&y);
    let (p, q) = (&*x.data.borrow(), &*y.data.borrow());
    let (m, n) = ([x.shape[0], x.shape[1]], [y.shape[0], y.shape[1]]);
    let data = if p.is_complex() || q.is_complex() {
        complex_data(complex_part(&to_c64(p), m, &to_c64(q), n, part), double)
    } else {
        match (p, q) {
            (Data::F32(a), Data::F32(b)) if !double => Data::F32(real_part(a, m, b, n, part)),
            _ => real_data(real_part(&to_f64(p), m, &to_f64(q), n, part), double),
        }
    };
    Ok(Value::array(Tensor::new(Shape::from_slice(&[rows.1, columns.1]), data)))
}

/// `conv2(u,v,x[,part])`: the columns of `x` with `u`, and then its rows with `v`.
fn convolve_columns_and_rows(call: &mut Call) -> Res<Value> {
    let vector = |i: usize, shape: fn(usize) -> [usize; 2]| {
        let t = call.tensor(i)?;
        if t.shape.len() > 2 || t.shape.iter().all(|n| *n != 1) {
            return Err(call.wrong(i, "a vector"));
        }
        Ok(Value::array(t.reshaped(Shape::from_slice(&shape(t.len())))))
    };
    let (u, v) = (vector(0, |n| [n, 1])?, vector(1, |n| [1, n])?);
    let part = call.args.get(3).cloned();
    let with = |x: Value, mask: Value| [x, mask].into_iter().chain(part.clone()).collect::<Vec<_>>();
    let columns = convolve(&mut call.with(&with(call.args[2].clone(), u)), false)?;
    convolve(&mut call.with(&with(columns, v)), false)
}

/// Elements of a part of the full convolution, which has `w` columns.
fn cut<T: Copy>(full: Vec<T>, w: usize, part: Part) -> Vec<T> {
    if part.rows.1 * part.columns.1 == full.len() {
        return full;
    }
    let rows = full.chunks_exact(w).skip(part.rows.0).take(part.rows.1);
    rows.flat_map(|row| &row[part.columns.0..part.columns.0 + part.columns.1]).copied().collect()
}

/// A part of the convolution of real matrices of sizes `m` and `n`: by products, or by Fourier transforms where these take less time and
/// all elements are finite.
pub(super) fn real_part<T: Real>(a: &[T], m: [usize; 2], b: &[T], n: [usize; 2], part: Part) -> Vec<T> {
    // The sums are the same whichever is the longer one, and columns lie in memory as rows do.
    let (a, m, b, n) = if a.len() < b.len() { (b, n, a, m) } else { (a, m, b, n) };
    let (m, n, part) = match m[1] == 1 && n[1] == 1 {
        true => ([1, m[0]], [1, n[0]], Part { rows: part.columns, columns: part.rows }),
        false => (m, n, part),
    };
    let [h, w] = [m[0] + n[0] - 1, m[1] + n[1] - 1];
    let finite = |v: &[T]| v.iter().fold(true, |all, x| all & x.double().is_finite());
    let line = h == 1;
    // In nanoseconds: many products at a time, and transforms of some steps for each level.
    let products = (part.rows.1 * part.columns.1) as f64 * b.len() as f64 / 25.0;
    let size = fourier::fast_length(h) as f64 * fourier::fast_length(w) as f64;
    let transforms = match line {
        true => (h * w) as f64 * (4.0 + 0.3 * (b.len() as f64).log2()) + 40_000.0,
        false => size * (4.0 + 0.3 * size.log2()) + 40_000.0,
    };
    if !finite(b) {
        return cut(scattered(a, m, b, n), w, part);
    }
    if transforms < products && finite(a) && crate::memory::fits((size * 32.0) as usize) {
        let doubles = |v: &[T]| v.iter().map(|x| x.double()).collect::<Vec<f64>>();
        let (a, b) = (doubles(a), doubles(b));
        let full = match line {
            true => {
                let mut out = storage::storage(h * w);
                fourier::convolved_lines(&a, &b, &mut out);
                out
            }
            false => fourier::convolved(&a, m[1], &b, n[1], [h, w]),
        };
        let mut full = cut(full, w, part);
        let out = storage::build(full.len(), |range, out: &mut [T]| {
            out.iter_mut().zip(&full[range]).for_each(|(o, x)| *o = T::near(*x));
        });
        storage::keep(&mut full);
        return out;
    }
    gathered(a, m, b, n, part)
}

/// Elements of a piece of a row that a thread works on at a time.
const PIECE: usize = 1024;

/// By products, element by element of the result: `a` with zeros beside its rows, and `b` the other way round as a window on it.
fn gathered<T: Real>(a: &[T], m: [usize; 2], b: &[T], n: [usize; 2], part: Part) -> Vec<T> {
    let beside = n[1] - 1;
    let length = m[1] + 2 * beside;
    let mut lines = vec![T::default(); m[0] * length];
    for (line, row) in lines.chunks_exact_mut(length).zip(a.chunks_exact(m[1])) {
        line[beside..beside + m[1]].copy_from_slice(row);
    }
    let weights: Vec<f64> = b.iter().rev().map(|x| x.double()).collect();
    let (height, width) = (part.rows.1, part.columns.1);
    let mut out: Vec<T> = storage::storage(height * width);
    let across = width.div_ceil(PIECE);
    let work = |(i, out): (usize, &mut [T])| {
        let (r, from) = (part.rows.0 + i / across, part.columns.0 + i % across * PIECE);
        let row = |k: usize| {
            let at = (r + k).checked_sub(n[0] - 1).filter(|r| *r < m[0])? * length + from;
            Some(&lines[at..at + out.len() + beside])
        };
        let under: Vec<Option<&[T]>> = (0..n[0]).map(row).collect();
        wide::run(Weigh { out, lines: &under, weights: &weights, step: 1 });
    };
    if out.is_empty() {
        return out;
    }
    let pieces: Vec<_> = out.chunks_mut(width).flat_map(|row| row.chunks_mut(PIECE)).enumerate().collect();
    let at_a_time = lines_at_a_time(pieces.len(), width.min(PIECE), b.len());
    threads::groups(pieces, at_a_time, &|pieces| pieces.for_each(work));
    out
}

/// `out += x * factor`.
struct AddTimes<'a, T>(&'a mut [f64], &'a [T], f64);

impl<T: Real> Job for AddTimes<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.0.iter_mut().zip(self.1).for_each(|(o, x)| *o += self.2 * x.double());
    }
}

/// The full convolution, a product at a time: no element of `b`, which may be infinite, meets a zero that is not there.
fn scattered<T: Real>(a: &[T], m: [usize; 2], b: &[T], n: [usize; 2]) -> Vec<T> {
    let (h, w) = (m[0] + n[0] - 1, m[1] + n[1] - 1);
    storage::build_lines(h * w, w, b.len(), |r, out: &mut [T]| {
        let mut sums = vec![0.0; w];
        for (k, line) in b.chunks_exact(n[1]).enumerate().rev() {
            let Some(row) = r.checked_sub(k).filter(|row| *row < m[0]) else { continue };
            for (l, factor) in line.iter().enumerate().rev() {
                wide::run(AddTimes(&mut sums[l..l + m[1]], &a[row * m[1]..(row + 1) * m[1]], factor.double()));
            }
        }
        out.iter_mut().zip(&sums).for_each(|(o, x)| *o = T::near(*x));
    })
}

/// A part of the convolution of complex matrices: short ones product by product, else by those of real and imaginary parts.
fn complex_part(a: &[[f64; 2]], m: [usize; 2], b: &[[f64; 2]], n: [usize; 2], part: Part) -> Vec<[f64; 2]> {
    let w = m[1] + n[1] - 1;
    if a.len().saturating_mul(b.len()) < LONG {
        let add = |o: &mut [f64; 2], p: &[f64; 2], q: &[f64; 2]| {
            *o = [o[0] + p[0] * q[0] - p[1] * q[1], o[1] + p[0] * q[1] + p[1] * q[0]];
        };
        return cut(full(a, m[1], b, n[1], [m[0] + n[0] - 1, w], add), w, part);
    }
    let parts = |v: &[[f64; 2]]| [0, 1].map(|i| v.iter().map(|z| z[i]).collect::<Vec<f64>>());
    let ([ar, ai], [br, bi]) = (parts(a), parts(b));
    let of = |a: &[f64], b: &[f64]| real_part(a, m, b, n, part);
    let (rr, ii, ri, ir) = (of(&ar, &br), of(&ai, &bi), of(&ar, &bi), of(&ai, &br));
    (0..rr.len()).map(|i| [rr[i] - ii[i], ri[i] + ir[i]]).collect()
}

/// The full convolution of matrices with `m` and `n` columns; `add` adds a product to an element.
fn full<T: Copy + Default>(
    a: &[T],
    m: usize,
    b: &[T],
    n: usize,
    [h, w]: [usize; 2],
    add: impl Fn(&mut T, &T, &T),
) -> Vec<T> {
    let mut out = vec![T::default(); h * w];
    for (i, p) in a.iter().enumerate() {
        let (r, c) = (i / m, i % m);
        for (k, line) in b.chunks_exact(n).enumerate() {
            let at = (r + k) * w + c;
            out[at..at + n].iter_mut().zip(line).for_each(|(o, q)| add(o, p, q));
        }
    }
    out
}
