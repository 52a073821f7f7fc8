//! Functions of matrices by their singular values, and the exponential. Work is done in double precision.

use super::decompose::{matrix, value};
use super::{Builtin, Call, Run, row};
use crate::arith::complex_data;
use crate::fault::{Fault, Res, fault};
use crate::tensor::{Data, Shape, Tensor};
use crate::value::Value;
use quadra_numeric::matrix::{self, Mat};

/// All singular values and vectors of the matrix in argument 0, and below which a singular value counts as 0.
struct Parts {
    u: Mat<f64>,
    s: Vec<f64>,
    v: Mat<f64>,
    least: f64,
    double: bool,
}

fn parts(call: &Call) -> Res<Parts> {
    let (a, double) = matrix(call, 0)?;
    parts_of(call, a, double)
}

/// The matrix in argument 0; a complex one X + iY as the real one [[X,-Y],[Y,X]], whose sums, products and inverses are those of the
/// complex matrix in the same form.
fn real_form(call: &Call) -> Res<(Mat<f64>, bool, bool)> {
    let t = call.tensor(0)?;
    let complex = t.data.borrow().is_complex();
    if !complex || t.shape.len() > 2 {
        let (a, double) = matrix(call, 0)?;
        return Ok((a, double, false));
    }
    let (m, n) = (t.shape[0], t.shape[1]);
    let element = |i: usize| t.get(i).and_then(|v| v.as_complex()).unwrap_or_default();
    let elements: Vec<[f64; 2]> = (0..t.len()).map(element).collect();
    if elements.iter().flatten().any(|x| !x.is_finite()) {
        fault!("Q0400", "'{}' of a matrix with infinite elements or NaN", call.name; "test with isnan(x) and isinf(x)");
    }
    let a = Mat::from_fn(2 * m, 2 * n, |i, j| {
        let [re, im] = elements[i % m * n + j % n];
        match (i < m, j < n) {
            (true, false) => -im,
            (false, true) => im,
            _ => re,
        }
    });
    Ok((a, matches!(*t.data.borrow(), Data::C64(_)) || call.double(), true))
}

/// `norm(x,p)`: of a vector by its elements; of a matrix the greatest sum of a column (p = 1) or row (inf), the greatest singular value (2)
/// or the root of the sum of squares ("fro").
pub(super) fn norm_of(call: &Call) -> Res<Value> {
    let t = call.tensor(0)?;
    let size = |v: Value| v.as_complex().map_or(f64::NAN, |[re, im]| re.hypot(im));
    let sizes: Vec<f64> = (0..t.len()).map(|i| t.get(i).map_or(f64::NAN, size)).collect();
    let name = call.args[1].as_text().map(|s| s.to_ascii_lowercase());
    let p = match name.as_deref() {
        Some("fro") => 2.0,
        Some("inf") => f64::INFINITY,
        Some(_) => return Err(call.wrong(1, "a number, inf or \"fro\"")),
        None => call.number(1)?,
    };
    // Neither is NaN lost, as it is in the greatest of numbers.
    let most = |v: &[f64]| v.iter().fold(0.0f64, |m, x| if x.is_nan() || *x > m { *x } else { m });
    let matrix = t.shape.len() > 2 || t.shape.iter().all(|n| *n > 1);
    let norm = match (matrix && name.as_deref() != Some("fro"), p) {
        (true, _) if t.shape.len() > 2 => return Err(call.wrong(0, "a vector or matrix")),
        (true, 1.0) => {
            let n = t.shape[1];
            most(&(0..n).map(|j| sizes.iter().skip(j).step_by(n).sum()).collect::<Vec<_>>())
        }
        (true, f64::INFINITY) => most(&sizes.chunks(t.shape[1]).map(|r| r.iter().sum()).collect::<Vec<_>>()),
        (true, 2.0) => {
            let (a, _, _) = real_form(call)?;
            let none = || Fault::new("Q0400", "the iteration of 'norm' does not converge").help("scale the matrix");
            matrix::singular_values(&a).ok_or_else(none)?.into_iter().fold(0.0, f64::max)
        }
        (true, _) => return Err(call.wrong(1, "1, 2, inf or \"fro\", as the norms of matrices have")),
        (false, f64::INFINITY) => most(&sizes),
        (false, f64::NEG_INFINITY) => {
            sizes.iter().copied().reduce(|m, x| if x.is_nan() || x < m { x } else { m }).unwrap_or(0.0)
        }
        (false, 1.0) => sizes.iter().sum(),
        (false, 2.0) => sizes.iter().map(|x| x * x).sum::<f64>().sqrt(),
        (false, p) => sizes.iter().map(|x| x.powf(p)).sum::<f64>().powf(p.recip()),
    };
    let double = matches!(*t.data.borrow(), Data::F64(_) | Data::C64(_)) || call.double();
    Ok(Value::scalar(norm, double))
}

/// The value of a matrix in the form of [`real_form`].
fn from_real_form(a: &Mat<f64>, double: bool, complex: bool) -> Value {
    if !complex {
        return value(a, double);
    }
    let (m, n) = (a.nrows() / 2, a.ncols() / 2);
    let elements = (0..m).flat_map(|i| (0..n).map(move |j| [a[(i, j)], a[(i + m, j)]])).collect();
    Value::array(Tensor::new(Shape::from_slice(&[m, n]), complex_data(elements, double)))
}

fn no_convergence(call: &Call) -> Box<Fault> {
    Fault::new("Q0400", format!("the iteration of '{}' does not converge", call.name)).help("scale the matrix")
}

/// Below which a singular value of a matrix of this size counts as 0.
fn least(call: &Call, size: [usize; 2], s: &[f64], double: bool) -> Res<f64> {
    // Elements are singles by default: what rounding them changes is no information.
    let eps = if double { f64::EPSILON } else { f64::from(f32::EPSILON) };
    let usual = size[0].max(size[1]) as f64 * eps * s.first().copied().unwrap_or(0.0);
    if call.args.len() > 1 { call.number(1) } else { Ok(usual) }
}

fn parts_of(call: &Call, a: Mat<f64>, double: bool) -> Res<Parts> {
    let (u, s, v) = matrix::full_svd(&a).ok_or_else(|| no_convergence(call))?;
    let least = least(call, [a.nrows(), a.ncols()], &s, double)?;
    Ok(Parts { u, s, v, least, double })
}

fn pinv(call: &mut Call) -> Res<Value> {
    let (a, double, complex) = real_form(call)?;
    let p = parts_of(call, a, double)?;
    let kept = p.s.iter().filter(|s| **s > p.least).count();
    let scaled = Mat::from_fn(p.v.nrows(), kept, |i, k| p.v[(i, k)] / p.s[k]);
    Ok(from_real_form(&(scaled * p.u.subcols(0, kept).transpose()), double, complex))
}

/// Some columns of a matrix.
fn columns(m: &Mat<f64>, range: std::ops::Range<usize>, double: bool) -> Value {
    value(&m.subcols(range.start, range.len()).to_owned(), double)
}

fn null(call: &mut Call) -> Res<Value> {
    let p = parts(call)?;
    let rank = p.s.iter().filter(|s| **s > p.least).count();
    Ok(columns(&p.v, rank..p.v.ncols(), p.double))
}

fn orth(call: &mut Call) -> Res<Value> {
    let (a, double) = matrix(call, 0)?;
    if a.nrows() == 0 || a.ncols() == 0 {
        return Ok(value(&Mat::zeros(a.nrows(), 0), double));
    }
    let least = |s: &[f64]| least(call, [a.nrows(), a.ncols()], s, double);
    let (u, s) = matrix::left_vectors(&a).ok_or_else(|| no_convergence(call))?;
    let least = least(&s)?;
    let rank = s.iter().filter(|s| **s > least).count();
    Ok(columns(&u, 0..rank, double))
}

/// `cond(A,p)`: by the norm `p`, 2 if none is given.
fn cond(call: &mut Call) -> Res<Value> {
    let two = call.args.get(1).is_none_or(|p| p.as_f64() == Some(2.0));
    if !two {
        let inverse = match super::linalg::inv(&mut call.with(&call.args[..1])) {
            Err(fault) if fault.code == "Q0400" => return Ok(Value::scalar(f64::INFINITY, call.double())),
            inverse => inverse?,
        };
        let (p, double) = (call.args[1].clone(), call.double());
        let there = norm_of(call)?.as_f64().unwrap_or(f64::NAN);
        let back = norm_of(&call.with(&[inverse, p]))?.as_f64().unwrap_or(f64::NAN);
        return Ok(Value::scalar(there * back, double));
    }
    let (a, double) = matrix(call, 0)?;
    let s = match a.nrows().min(a.ncols()) {
        0 => Vec::new(),
        _ => matrix::singular_values(&a).ok_or_else(|| no_convergence(call))?,
    };
    Ok(Value::scalar(
        match (s.first(), s.last()) {
            (Some(_), Some(0.0)) => f64::INFINITY,
            (Some(most), Some(least)) => most / least,
            _ => 0.0,
        },
        double,
    ))
}

fn expm(call: &mut Call) -> Res<Value> {
    let (a, double, complex) = real_form(call)?;
    if a.nrows() != a.ncols() {
        let size = crate::display::shape_text(&call.tensor(0)?.shape);
        fault!("Q0314", "argument 1 of 'expm' needs a square matrix, not one of size {size}"; "expm(A)");
    }
    Ok(from_real_form(&matrix::exponential(&a), double, complex))
}

/// `csr_solve(start,column,value,b)`.
fn csr_solve(call: &mut Call) -> Res<Value> {
    let (start, column, value) = (call.list(0)?, call.list(1)?, call.list(2)?);
    let b = call.tensor(3)?;
    let n = start.len().saturating_sub(1);
    if column.len() != value.len() || start.last().copied().unwrap_or(0.0) != value.len() as f64 {
        fault!("Q0314", "csr_solve: {} columns and {} values do not belong together", column.len(), value.len(); "the last of the starts is their number");
    }
    let columns = if b.is_vector() { 1 } else { b.shape[1..].iter().product() };
    if b.len() != n * columns || b.data.borrow().is_complex() {
        return Err(call.wrong(3, &format!("{n} real numbers, or rows of them")));
    }
    let mut elements = Vec::with_capacity(value.len());
    for (row, ends) in start.windows(2).enumerate() {
        for k in ends[0].max(0.0) as usize..(ends[1].max(0.0) as usize).min(value.len()) {
            elements.push((row, column[k].max(0.0) as usize, value[k]));
        }
    }
    let right = matrix::from_rows(n, columns, &crate::arith::to_f64(&b.data.borrow()));
    let Some(x) = quadra_numeric::sparse::solve(n, &elements, &right) else {
        fault!("Q0400", "the system has no unique solution: its matrix is singular"; "test the rank of the full matrix");
    };
    Ok(Value::array(Tensor::new(b.shape.clone(), crate::tensor::real_data(matrix::rows(&x), call.double()))))
}

pub const TABLE: &[Builtin] = &[
    row!(
        "csr_solve",
        "csr_solve(start,column,value,b)",
        "x with A*x = b of a sparse matrix in compressed rows: row i has the values start[i] to start[i+1]-1, in these columns; by LU. A \\ b does so for sparse objects",
        "print csr_solve([0,1,2],[0,1],[2,4],[2,8])",
        4..=4,
        Run::One(csr_solve)
    ),
    row!(
        "pinv",
        "pinv(A[,least])",
        "pseudoinverse; singular values up to the least count as 0",
        "print pinv([[2,0],[0,4],[0,0]])",
        1..=2,
        Run::One(pinv)
    ),
    row!(
        "null",
        "null(A[,least])",
        "orthonormal columns x with A*x = 0",
        "print size(null([[1,0,0],[0,1,0]]))",
        1..=2,
        Run::One(null)
    ),
    row!(
        "orth",
        "orth(A[,least])",
        "orthonormal columns that span those of A",
        "print size(orth([[1,2],[2,4]]))",
        1..=2,
        Run::One(orth)
    ),
    row!(
        "cond",
        "cond(A[,p])",
        "greatest singular value divided by the least, or by another norm the norm of A times that of its inverse",
        "print cond([[2,0],[0,4]])",
        1..=2,
        Run::One(cond)
    ),
    row!("expm", "expm(A)", "exponential of a matrix", "print expm([[0,1],[0,0]])", 1..=1, Run::One(expm)),
];
