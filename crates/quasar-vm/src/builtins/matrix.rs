//! Functions of matrices by their singular values, and the exponential. Work is done in double precision.

use super::decompose::{matrix, value};
use super::{Builtin, Call, Run, row};
use crate::fault::{Fault, Res, fault};
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
    let (u, s, v) = matrix::full_svd(&a).ok_or_else(|| {
        Fault::new("Q0400", format!("the iteration of '{}' does not converge", call.name)).help("scale the matrix")
    })?;
    // Elements are singles by default: what rounding them changes is no information.
    let eps = if double { f64::EPSILON } else { f64::from(f32::EPSILON) };
    let usual = a.nrows().max(a.ncols()) as f64 * eps * s.first().copied().unwrap_or(0.0);
    let least = if call.args.len() > 1 { call.number(1)? } else { usual };
    Ok(Parts { u, s, v, least, double })
}

fn pinv(call: &mut Call) -> Res<Value> {
    let p = parts(call)?;
    let kept = p.s.iter().filter(|s| **s > p.least).count();
    let scaled = Mat::from_fn(p.v.nrows(), kept, |i, k| p.v[(i, k)] / p.s[k]);
    Ok(value(&(scaled * p.u.subcols(0, kept).transpose()), p.double))
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
    let p = parts(call)?;
    let rank = p.s.iter().filter(|s| **s > p.least).count();
    Ok(columns(&p.u, 0..rank, p.double))
}

fn cond(call: &mut Call) -> Res<Value> {
    let p = parts(call)?;
    Ok(Value::scalar(
        match (p.s.first(), p.s.last()) {
            (Some(_), Some(0.0)) => f64::INFINITY,
            (Some(most), Some(least)) => most / least,
            _ => 0.0,
        },
        p.double,
    ))
}

fn expm(call: &mut Call) -> Res<Value> {
    let (a, double) = matrix(call, 0)?;
    if a.nrows() != a.ncols() {
        fault!("Q0314", "argument 1 of 'expm' needs a square matrix, not one of size {}x{}", a.nrows(), a.ncols(); "expm(A)");
    }
    Ok(value(&matrix::exponential(&a), double))
}

pub const TABLE: &[Builtin] = &[
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
        "cond(A)",
        "greatest singular value divided by the least",
        "print cond([[2,0],[0,4]])",
        1..=1,
        Run::One(cond)
    ),
    row!("expm", "expm(A)", "exponential of a matrix", "print expm([[0,1],[0,0]])", 1..=1, Run::One(expm)),
];
