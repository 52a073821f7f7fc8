//! Convolution of vectors and matrices.

use super::Call;
use super::window::AddTimes;
use crate::arith::{complex_data, to_c64, to_f64};
use crate::bulk::LONG;
use crate::fault::{Res, fault};
use crate::tensor::{Data, Shape, Tensor, real_data};
use crate::value::Value;
use crate::wide;
use quadra_numeric::fourier;
use rayon::prelude::*;

/// Convolution of two matrices or vectors: all of it, the middle with the size of the first, or where the second lies inside it.
pub(super) fn convolve(call: &mut Call) -> Res<Value> {
    let (x, y) = (call.tensor(0)?, call.tensor(1)?);
    if x.shape.len() > 2 || y.shape.len() > 2 || x.is_empty() || y.is_empty() {
        return Err(call.wrong(0, "vectors or matrices"));
    }
    let (h, w) = (x.shape[0] + y.shape[0] - 1, x.shape[1] + y.shape[1] - 1);
    if !crate::memory::fits(h.saturating_mul(w).saturating_mul(16)) {
        fault!("Q0310", "out of memory: a convolution of size {h}x{w}"; "raise the limit with --max-memory");
    }
    let part = if call.args.len() > 2 { call.text(2)? } else { "full" };
    // First row or column of the part, and its length.
    let range = |d: usize, n: usize| match part {
        "full" => Some((0, n)),
        "same" => Some((y.shape[d] / 2, x.shape[d])),
        "valid" => Some((y.shape[d] - 1, (x.shape[d] + 1).saturating_sub(y.shape[d]))),
        _ => None,
    };
    let (Some(rows), Some(columns)) = (range(0, h), range(1, w)) else {
        fault!("Q0314", "'{}' knows no part \"{part}\"", call.name; "full, same or valid");
    };
    let is_double = |t: &Tensor| matches!(*t.data.borrow(), Data::F64(_) | Data::C64(_));
    let double = call.double() || is_double(&x) || is_double(&y);
    let positions = (rows.0..rows.0 + rows.1).flat_map(|r| (columns.0..columns.0 + columns.1).map(move |c| r * w + c));
    let data = if x.data.borrow().is_complex() || y.data.borrow().is_complex() {
        let (a, b) = (to_c64(&x.data.borrow()), to_c64(&y.data.borrow()));
        let add = |o: &mut [f64; 2], p: &[f64; 2], q: &[f64; 2]| {
            *o = [o[0] + p[0] * q[0] - p[1] * q[1], o[1] + p[0] * q[1] + p[1] * q[0]];
        };
        let out = full(&a, x.shape[1], &b, y.shape[1], [h, w], add);
        complex_data(positions.map(|i| out[i]).collect(), double)
    } else {
        let (a, b) = (to_f64(&x.data.borrow()).into_owned(), to_f64(&y.data.borrow()).into_owned());
        let out = real_full(&a, x.shape[1], &b, y.shape[1], [h, w]);
        let whole = rows.1 * columns.1 == out.len();
        real_data(if whole { out } else { positions.map(|i| out[i]).collect() }, double)
    };
    Ok(Value::array(Tensor::new(Shape::from_slice(&[rows.1, columns.1]), data)))
}

/// The full convolution of real matrices with `m` and `n` columns: by products, or by Fourier transforms where these take less time and
/// all elements are finite.
fn real_full(a: &[f64], m: usize, b: &[f64], n: usize, [h, w]: [usize; 2]) -> Vec<f64> {
    // The sums are the same whichever is the longer one.
    let (a, m, b, n) = if a.len() < b.len() { (b, n, a, m) } else { (a, m, b, n) };
    let size = fourier::fast_length(h) as f64 * fourier::fast_length(w) as f64;
    // In nanoseconds: eight products at a time, and transforms of some steps for each level.
    let products = a.len() as f64 * b.len() as f64 / 8.0;
    let transforms = size * (4.0 + 0.5 * size.log2()) + 20_000.0;
    let finite = |v: &[f64]| v.iter().fold(true, |all, x| all & x.is_finite());
    if transforms < products && finite(a) && finite(b) && crate::memory::fits((size * 32.0) as usize) {
        return fourier::convolved(a, m, b, n, [h, w]);
    }
    let rows = a.len() / m;
    let mut out = vec![0.0; h * w];
    let work = |(r, out): (usize, &mut [f64])| {
        for (k, line) in b.chunks_exact(n).enumerate().rev() {
            let Some(row) = r.checked_sub(k).filter(|row| *row < rows) else { continue };
            // Pieces that stay in the first-level cache while all factors go over them.
            for from in (0..m).step_by(PIECE) {
                let part = &a[row * m + from..row * m + (from + PIECE).min(m)];
                for (l, factor) in line.iter().enumerate().rev() {
                    wide::run(AddTimes(&mut out[from + l..from + l + part.len()], part, *factor));
                }
            }
        }
    };
    match a.len().saturating_mul(b.len()) < LONG {
        true => out.chunks_mut(w).enumerate().for_each(work),
        // One row is shared by its pieces.
        false if h == 1 => along_row(a, b, &mut out),
        false => out.par_chunks_mut(w).enumerate().for_each(work),
    }
    out
}

/// Elements of a piece.
const PIECE: usize = 1024;

/// The convolution of vectors, piece by piece of the result.
fn along_row(a: &[f64], b: &[f64], out: &mut [f64]) {
    out.par_chunks_mut(PIECE).enumerate().for_each(|(c, out)| {
        let from = c * PIECE;
        for (l, factor) in b.iter().enumerate().rev() {
            // Elements of the piece whose partner exists.
            let (first, last) = (from.max(l), (from + out.len()).min(a.len() + l));
            if first < last {
                wide::run(AddTimes(&mut out[first - from..last - from], &a[first - l..last - l], *factor));
            }
        }
    });
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
