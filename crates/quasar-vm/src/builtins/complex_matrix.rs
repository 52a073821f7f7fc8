//! Determinants, inverses, systems, traces and Kronecker products of complex matrices. Everything is answered by elimination with the
//! largest pivot of a column.

use super::Call;
use crate::arith::{complex_data, to_c64};
use crate::fault::{Res, fault};
use crate::tensor::Tensor;
use crate::value::Value;
use smallvec::SmallVec;

type C = [f64; 2];

fn times(a: C, b: C) -> C {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

fn minus(a: C, b: C) -> C {
    [a[0] - b[0], a[1] - b[1]]
}

fn size(a: C) -> f64 {
    a[0].hypot(a[1])
}

fn over(a: C, b: C) -> C {
    let d = b[0] * b[0] + b[1] * b[1];
    [(a[0] * b[0] + a[1] * b[1]) / d, (a[1] * b[0] - a[0] * b[1]) / d]
}

/// Whether argument `i` is a complex array.
pub fn is_complex(call: &Call, i: usize) -> bool {
    matches!(call.args.get(i), Some(Value::Array(t)) if t.data.borrow().is_complex())
}

/// Argument `i` as a square matrix, row by row.
fn square(call: &Call, i: usize) -> Res<(Vec<C>, usize)> {
    let t = call.tensor(i)?;
    if t.shape.len() != 2 || t.shape[0] != t.shape[1] {
        return Err(call.wrong(i, "a square matrix"));
    }
    Ok((to_c64(&t.data.borrow()), t.shape[0]))
}

fn value(call: &Call, rows: usize, columns: usize, data: Vec<C>) -> Value {
    Value::array(Tensor::new(SmallVec::from_slice(&[rows, columns]), complex_data(data, call.double())))
}

/// Eliminates below and above each pivot, in `a` and in the `columns` right sides `b`; gives the determinant.
fn eliminate(a: &mut [C], n: usize, b: &mut [C], columns: usize) -> C {
    let mut det = [1.0, 0.0];
    let scale = a.iter().fold(0.0f64, |m, z| m.max(size(*z)));
    for c in 0..n {
        let p = (c..n).rev().max_by(|p, q| size(a[p * n + c]).total_cmp(&size(a[q * n + c]))).unwrap_or(c);
        if p != c {
            (0..n).for_each(|j| a.swap(p * n + j, c * n + j));
            (0..columns).for_each(|j| b.swap(p * columns + j, c * columns + j));
            det = [-det[0], -det[1]];
        }
        let pivot = a[c * n + c];
        det = times(det, pivot);
        if size(pivot) <= scale * 1e-14 {
            return [0.0, 0.0];
        }
        for r in (0..n).filter(|r| *r != c) {
            let factor = over(a[r * n + c], pivot);
            if factor == [0.0, 0.0] {
                continue;
            }
            (c..n).for_each(|j| a[r * n + j] = minus(a[r * n + j], times(factor, a[c * n + j])));
            (0..columns)
                .for_each(|j| b[r * columns + j] = minus(b[r * columns + j], times(factor, b[c * columns + j])));
        }
    }
    for r in 0..n {
        (0..columns).for_each(|j| b[r * columns + j] = over(b[r * columns + j], a[r * n + r]));
    }
    det
}

/// The determinant of a complex matrix.
///
/// # Errors
/// The matrix is not square.
pub fn det(call: &Call) -> Res<Value> {
    let (mut a, n) = square(call, 0)?;
    let [re, im] = eliminate(&mut a, n, &mut [], 0);
    Ok(Value::complex(re, im, call.double()))
}

/// The sum of the diagonal.
///
/// # Errors
/// The matrix is not square.
pub fn trace(call: &Call) -> Res<Value> {
    let (a, n) = square(call, 0)?;
    let [re, im] = (0..n).map(|i| a[i * n + i]).fold([0.0, 0.0], |s, z| [s[0] + z[0], s[1] + z[1]]);
    Ok(Value::complex(re, im, call.double()))
}

/// The inverse of a complex matrix.
///
/// # Errors
/// The matrix is not square, or singular.
pub fn inv(call: &Call) -> Res<Value> {
    let (mut a, n) = square(call, 0)?;
    let mut b: Vec<C> = (0..n * n).map(|i| [f64::from(u8::from(i / n == i % n)), 0.0]).collect();
    if eliminate(&mut a, n, &mut b, n) == [0.0, 0.0] && n > 0 {
        fault!("Q0400", "the matrix has no inverse: it is singular"; "test det(A) first");
    }
    Ok(value(call, n, n, b))
}

/// `solve(A,b)` with a complex matrix or right side.
///
/// # Errors
/// The matrix is not square, or singular, or the right side has another number of rows.
pub fn solve(call: &Call) -> Res<Value> {
    let (mut a, n) = square(call, 0)?;
    let right = call.tensor(1)?;
    let vector = right.is_vector();
    let (rows, columns) =
        if vector { (right.shape[1], 1) } else { (right.shape[0], right.shape[1..].iter().product()) };
    if rows != n {
        return Err(call.wrong(1, &format!("{n} rows")));
    }
    let mut b = to_c64(&right.data.borrow());
    if eliminate(&mut a, n, &mut b, columns) == [0.0, 0.0] && n > 0 {
        fault!("Q0400", "the system has no unique solution: its matrix is singular"; "test det(A) first");
    }
    Ok(Value::array(Tensor::new(right.shape.clone(), complex_data(b, call.double()))))
}

/// The Kronecker product, if one of the matrices is complex.
pub fn kron(call: &Call) -> Res<Value> {
    let (a, b) = (call.tensor(0)?, call.tensor(1)?);
    let (x, y) = (to_c64(&a.data.borrow()), to_c64(&b.data.borrow()));
    let (m, n, p, q) = (a.shape[0], a.shape[1], b.shape[0], b.shape[1]);
    let at = |k: usize| {
        let (i, j) = (k / (n * q), k % (n * q));
        times(x[(i / p) * n + j / q], y[(i % p) * q + j % q])
    };
    Ok(value(call, m * p, n * q, (0..m * p * n * q).map(at).collect()))
}
