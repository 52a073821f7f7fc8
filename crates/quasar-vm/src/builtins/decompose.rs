//! Decompositions of matrices: LU, QR, Cholesky, singular values, eigenvalues. Work is done in double precision,
//! but for L and U of large matrices of singles.

use super::array::on_diagonal;
use super::complex_matrix::is_complex;
use super::linalg::square;
use super::{Builtin, Call, Run, row};
use crate::arith::{complex_data, to_c64, to_f64};
use crate::fault::{Fault, Res, fault};
use crate::storage;
use crate::tensor::{Data, Shape, Tensor, real_data};
use crate::value::Value;
use quadra_numeric::matrix::{self, Mat, c64};

/// A real matrix argument and whether results are in double precision.
pub fn matrix(call: &Call, i: usize) -> Res<(Mat<f64>, bool)> {
    let t = call.tensor(i)?;
    if t.shape.len() > 2 {
        return Err(call.wrong(i, "a matrix"));
    }
    let data = t.data.borrow();
    if data.is_complex() {
        fault!("Q0325", "'{}' is not defined for complex matrices", call.name; "use the real part");
    }
    let values = to_f64(&data);
    if !values.iter().fold(true, |all, x| all & x.is_finite()) {
        fault!("Q0400", "'{}' of a matrix with infinite elements or NaN", call.name; "test with isnan(x) and isinf(x)");
    }
    let double = matches!(*data, Data::F64(_)) || call.double();
    Ok((matrix::from_rows(t.shape[0], t.shape[1], &values), double))
}

/// The matrix as a value.
pub fn value(m: &Mat<f64>, double: bool) -> Value {
    let rows = matrix::rows(m);
    Value::array(Tensor::new(Shape::from_slice(&[m.nrows(), m.ncols()]), real_data(rows, double)))
}

/// A complex matrix argument and whether results are in double precision.
fn complex_matrix(call: &Call, i: usize) -> Res<(Mat<c64>, bool)> {
    let t = call.tensor(i)?;
    if t.shape.len() > 2 {
        return Err(call.wrong(i, "a matrix"));
    }
    let data = t.data.borrow();
    let values = to_c64(&data);
    if values.iter().flatten().any(|x| !x.is_finite()) {
        fault!("Q0400", "'{}' of a matrix with infinite elements or NaN", call.name; "test with isnan(x) and isinf(x)");
    }
    let columns = t.shape[1];
    let at = |i: usize, j: usize| c64::new(values[i * columns + j][0], values[i * columns + j][1]);
    Ok((Mat::from_fn(t.shape[0], columns, at), matches!(*data, Data::C64(_)) || call.double()))
}

fn complex_value(m: &Mat<c64>, double: bool) -> Value {
    let rows = (0..m.nrows()).flat_map(|i| (0..m.ncols()).map(move |j| [m[(i, j)].re, m[(i, j)].im])).collect();
    Value::array(Tensor::new(Shape::from_slice(&[m.nrows(), m.ncols()]), complex_data(rows, double)))
}

fn no_convergence(call: &Call) -> Box<Fault> {
    Fault::new("Q0400", format!("the iteration of '{}' does not converge", call.name)).help("scale the matrix")
}

/// Elements from which a matrix of singles is factored in single precision.
const LONG: usize = 1 << 14;

/// `[L,U,P]=lu(A)` with P*A = L*U; with two outputs L has its rows in the order of A; with one, L and U share a matrix.
fn lu(call: &mut Call) -> Res<Vec<Value>> {
    let t = call.tensor(0)?;
    if let (Data::F32(v), &[m, n], false) = (&*t.data.borrow(), &t.shape[..], call.double())
        && m.min(n) > 64
        && v.len() >= LONG
        && let Some((packed, order)) = matrix::single_factors(v, m, n)
    {
        return Ok(triangles(call.outs, packed, &order, n, 1.0, Data::F32));
    }
    let (a, double) = matrix(call, 0)?;
    let f = matrix::factors(&a);
    Ok(triangles(call.outs, f.row_by_row(), &f.rows, a.ncols(), 1.0, |v| real_data(v, double)))
}

/// The results of `lu` from L and U row by row in one matrix with `n` columns, and which row of A each row is.
fn triangles<T: storage::Kept>(
    outs: usize,
    packed: Vec<T>,
    order: &[usize],
    n: usize,
    one: T,
    data: impl Fn(Vec<T>) -> Data,
) -> Vec<Value> {
    let (m, k) = (order.len(), order.len().min(n));
    let matrix = |v: Vec<T>, rows: usize, columns: usize| {
        Value::array(Tensor::new(Shape::from_slice(&[rows, columns]), data(v)))
    };
    if outs < 2 {
        return vec![matrix(packed, m, n)];
    }
    let (mut l, mut u): (Vec<T>, Vec<T>) = (storage::storage(m * k), storage::storage(k * n));
    let mut p: Vec<T> = storage::storage(if outs > 2 { m * m } else { 0 });
    p.fill(T::default());
    for (i, from) in order.iter().enumerate() {
        let at = if outs == 2 { *from } else { i };
        let row = &mut l[at * k..(at + 1) * k];
        let below = i.min(k);
        row[..below].copy_from_slice(&packed[i * n..i * n + below]);
        row[below..].fill(T::default());
        if let Some(o) = row.get_mut(i) {
            *o = one;
        }
        if i < k {
            u[i * n..i * n + i].fill(T::default());
            u[i * n + i..(i + 1) * n].copy_from_slice(&packed[i * n + i..(i + 1) * n]);
        }
        if outs > 2 {
            p[i * m + from] = one;
        }
    }
    let mut out = vec![matrix(l, m, k), matrix(u, k, n)];
    if outs > 2 {
        out.push(matrix(p, m, m));
    }
    out
}

/// `[Q,R]=qr(A)` in economy size; the diagonal of R is not negative, which makes the result unique for full rank.
fn qr(call: &mut Call) -> Res<Vec<Value>> {
    let (a, double) = matrix(call, 0)?;
    let (q, r) = matrix::qr(&a);
    let (q, r) = (value(&q, double), value(&r, double));
    Ok(if call.outs > 1 { vec![q, r] } else { vec![r] })
}

fn diagonal(s: &[f64], double: bool) -> Value {
    value(&Mat::from_fn(s.len(), s.len(), |i, j| if i == j { s[i] } else { 0.0 }), double)
}

/// `s=svd(A)` descending, or `[U,S,V]=svd(A)` in economy size with A = U*S*transpose(V), of complex matrices A = U*S*conj(transpose(V)).
fn svd(call: &mut Call) -> Res<Vec<Value>> {
    // U and V have as many columns as there are singular values, whether that is asked for or not.
    let known = match call.args.get(1) {
        Some(Value::Str(word)) => &***word == "econ",
        Some(v) => v.as_f64() == Some(0.0),
        None => true,
    };
    if !known {
        return Err(call.wrong(1, "\"econ\""));
    }
    if is_complex(call, 0) {
        let (a, double) = complex_matrix(call, 0)?;
        if a.nrows() == 0 || a.ncols() == 0 {
            return Err(call.wrong(0, "a matrix with elements"));
        }
        let (u, s, v) = matrix::complex_svd(&a).ok_or_else(|| no_convergence(call))?;
        return Ok(match call.outs < 2 {
            true => vec![Value::array(Tensor::scalars(s, double))],
            false => vec![complex_value(&u, double), diagonal(&s, double), complex_value(&v, double)],
        });
    }
    let (a, double) = matrix(call, 0)?;
    if a.nrows() == 0 || a.ncols() == 0 {
        return Err(call.wrong(0, "a matrix with elements"));
    }
    if call.outs < 2 {
        let s = matrix::singular_values(&a).ok_or_else(|| no_convergence(call))?;
        return Ok(vec![Value::array(Tensor::scalars(s, double))]);
    }
    let (u, s, v) = matrix::svd(&a).ok_or_else(|| no_convergence(call))?;
    Ok(vec![value(&u, double), diagonal(&s, double), value(&v, double)])
}

/// Eigenvalues, by real and then imaginary part, and eigenvectors of length 1 whose largest component is real and positive.
fn eig(call: &mut Call) -> Res<Vec<Value>> {
    let vector = match if call.args.len() > 1 { call.text(1)? } else { "matrix" } {
        "vector" => true,
        "matrix" => false,
        _ => return Err(call.wrong(1, "\"vector\" or \"matrix\"")),
    };
    let mut found = eigenvalues(call)?;
    if let (false, Some(Value::Array(list))) = (vector, found.get(1)) {
        found[1] = on_diagonal(list, call.double())?;
    }
    Ok(found)
}

/// The eigenvalues as a vector, and the vectors before it if two results are asked for.
fn eigenvalues(call: &mut Call) -> Res<Vec<Value>> {
    let shape = call.tensor(0)?.shape.clone();
    if shape.len() == 2 && shape[0] != shape[1] {
        let size = crate::display::shape_text(&shape);
        fault!("Q0314", "argument 1 of 'eig' needs a square matrix, not one of size {size}"; "eig(A)");
    }
    if is_complex(call, 0) {
        return complex_eig(call);
    }
    let (a, double) = matrix(call, 0)?;
    let n = a.nrows();
    if (0..n).all(|i| (0..i).all(|j| a[(i, j)] == a[(j, i)])) {
        return symeig(call);
    }
    let (values, vectors) = matrix::eigen(&a).ok_or_else(|| no_convergence(call))?;
    let scale = matrix::rows(&a).iter().fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
    let real = values.iter().all(|z| z.im.abs() <= 1e-12 * scale);
    Ok(in_order(call, &values, &vectors, (scale, real, double)))
}

/// As `eig`; a Hermitian matrix has real eigenvalues.
fn complex_eig(call: &mut Call) -> Res<Vec<Value>> {
    let (a, double) = complex_matrix(call, 0)?;
    let n = a.nrows();
    if (0..n).all(|i| (0..=i).all(|j| a[(i, j)] == a[(j, i)].conj())) {
        let (values, vectors) = matrix::hermitian_eigen(&a).ok_or_else(|| no_convergence(call))?;
        let list = Value::array(Tensor::scalars(values, double));
        let columns: Vec<_> = (0..n).map(|k| unit_vector((0..n).map(|i| vectors[(i, k)]).collect())).collect();
        let vectors = Mat::from_fn(n, n, |i, j| columns[j][i]);
        return Ok(if call.outs < 2 { vec![list] } else { vec![complex_value(&vectors, double), list] });
    }
    let (values, vectors) = matrix::complex_eigen(&a).ok_or_else(|| no_convergence(call))?;
    let scale = values.iter().fold(f64::MIN_POSITIVE, |m, z| m.max(z.norm()));
    Ok(in_order(call, &values, &vectors, (scale, false, double)))
}

/// Eigenvectors and eigenvalues by real and then imaginary part; of a matrix with elements up to `scale`, all of them real or not.
fn in_order(call: &Call, values: &[c64], vectors: &Mat<c64>, (scale, real, double): (f64, bool, bool)) -> Vec<Value> {
    let n = values.len();
    // Equal up to rounding counts as equal, so that conjugate pairs stay in order.
    let key =
        |i: &usize| ((values[*i].re / scale * 1e10).round() as i64, (values[*i].im / scale * 1e10).round() as i64);
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(key);
    let data = |values: Vec<c64>| match real {
        true => real_data(values.iter().map(|z| z.re).collect(), double),
        false => complex_data(values.iter().map(|z| [z.re, z.im]).collect(), double),
    };
    let list = Value::array(Tensor::vector(data(order.iter().map(|i| values[*i]).collect())));
    if call.outs < 2 {
        return vec![list];
    }
    let columns: Vec<Vec<c64>> =
        order.iter().map(|k| unit_vector((0..n).map(|i| vectors[(i, *k)]).collect())).collect();
    let rows = (0..n).flat_map(|i| columns.iter().map(move |c| c[i])).collect();
    vec![Value::array(Tensor::new(Shape::from_slice(&[n, n]), data(rows))), list]
}

/// The vector with length 1 and its largest component turned to a positive number.
fn unit_vector(v: Vec<c64>) -> Vec<c64> {
    let most = v.iter().fold(0.0f64, |m, z| m.max(z.norm()));
    let large = v.iter().find(|z| z.norm() > most * 0.999).copied().unwrap_or(c64::new(1.0, 0.0));
    let length = v.iter().map(|z| z.norm_sqr()).sum::<f64>().sqrt();
    let turn = large.conj() / large.norm() / length;
    v.into_iter().map(|z| z * turn).collect()
}

fn chol(call: &mut Call) -> Res<Value> {
    let upper = match if call.args.len() > 1 { call.text(1)? } else { "lower" } {
        "lower" => false,
        "upper" => true,
        _ => return Err(call.wrong(1, "\"lower\" or \"upper\"")),
    };
    let (a, n, double) = square(call, 0)?;
    match matrix::cholesky(matrix::from_rows(n, n, &a)) {
        Some(l) if upper => Ok(value(&l.transpose().to_owned(), double)),
        Some(l) => Ok(value(&l, double)),
        None => fault!("Q0400", "'chol' needs a positive definite matrix"; "test the eigenvalues with symeig(A)"),
    }
}

/// Eigenvalues and eigenvectors of a symmetric matrix, values ascending; the lower triangle counts.
fn symeig(call: &mut Call) -> Res<Vec<Value>> {
    let (values, n, double) = square(call, 0)?;
    if values.iter().any(|x| !x.is_finite()) {
        fault!("Q0400", "'{}' of a matrix with infinite elements or NaN", call.name; "test with isnan(x) and isinf(x)");
    }
    let a = Mat::from_fn(n, n, |i, j| if i >= j { values[i * n + j] } else { values[j * n + i] });
    let (list, vectors) = matrix::symmetric_eigen(&a).ok_or_else(|| no_convergence(call))?;
    let list = Value::array(Tensor::scalars(list, double));
    Ok(if call.outs < 2 { vec![list] } else { vec![value(&vectors, double), list] })
}

pub const TABLE: &[Builtin] = &[
    row!(
        "lu",
        "[L,U,P]=lu(A), [L,U]=lu(A)",
        "triangular L and U with P*A = L*U; with two outputs A = L*U; one output holds both",
        "print lu([[4,2],[2,3]])",
        1..=1,
        Run::Many(lu)
    ),
    row!(
        "qr",
        "[Q,R]=qr(A), R=qr(A)",
        "orthonormal columns Q and upper triangular R with A = Q*R",
        "print qr([[3,0],[4,5]])",
        1..=1,
        Run::Many(qr)
    ),
    row!(
        "chol",
        "chol(A), chol(A,\"upper\")",
        "lower triangular L with L*transpose(L) = A, or upper triangular U with transpose(U)*U = A",
        "print chol([[4,0],[0,9]])",
        1..=2,
        Run::One(chol)
    ),
    row!(
        "svd",
        "s=svd(A), [U,S,V]=svd(A[,\"econ\"])",
        "singular values, descending; A = U*S*transpose(V), of complex matrices A = U*S*conj(transpose(V))",
        "print svd([[3,0],[0,4]])",
        1..=2,
        Run::Many(svd)
    ),
    row!(
        "eig",
        "d=eig(A), [V,D]=eig(A), [V,d]=eig(A,\"vector\")",
        "eigenvalues, ascending by real part; with vectors of length 1 in the columns of V as a diagonal matrix D, A*V = V*D, or as a vector",
        "print eig([[0,1],[-2,-3]])",
        1..=2,
        Run::Many(eig)
    ),
    row!(
        "symeig",
        "[V,d]=symeig(A)",
        "eigenvalues (and vectors) of a symmetric matrix, ascending",
        "print symeig([[2,0],[0,1]])",
        1..=1,
        Run::Many(symeig)
    ),
];
