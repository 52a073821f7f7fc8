//! Order statistics and running extremes.

use super::reduce::{Lines, dimension, real};
use super::{Builtin, Call, Run, row};
use crate::arith::{to_c64, to_f64};
use crate::fault::{Res, fault};
use crate::tensor::{Tensor, normal_shape, real_data};
use crate::value::Value;
use quadra_quasar_hir::op2::Op2;

/// The most frequent value, the least of several; NaN if there is none.
fn mode(v: &[f64]) -> f64 {
    let mut v: Vec<f64> = v.iter().copied().filter(|x| !x.is_nan()).collect();
    v.sort_by(f64::total_cmp);
    let runs = v.chunk_by(|a, b| a == b);
    runs.fold((f64::NAN, 0), |best, run| if run.len() > best.1 { (run[0], run.len()) } else { best }).0
}

/// The value below which a share `p` of the sorted values lies: the k-th of n belongs to (k+0.5)/n, others lie on lines between.
fn quantile(sorted: &[f64], p: f64) -> f64 {
    let n = sorted.len();
    if n == 0 || p.is_nan() {
        return f64::NAN;
    }
    let at = (p * n as f64 - 0.5).clamp(0.0, (n - 1) as f64);
    let k = (at as usize).min(n - 1);
    let next = sorted[(k + 1).min(n - 1)];
    if next == sorted[k] { next } else { sorted[k] + (next - sorted[k]) * (at - k as f64) }
}

/// `quantile(x,p[,dim])` over all elements or along a dimension, whose length becomes that of p. NaNs do not count.
fn quantiles(call: &mut Call, unit: f64) -> Res<Value> {
    let shares: Vec<f64> = call.list(1)?.into_iter().map(|p| p / unit).collect();
    if let Some(bad) = shares.iter().find(|p| **p < 0.0 || **p > 1.0) {
        let (name, bad) = (call.name, crate::display::real(*bad * unit));
        fault!("Q0314", "'{name}' for a share of {bad}"; "quantile takes shares from 0 to 1, prctile from 0 to 100");
    }
    let t = call.tensor(0)?;
    if t.data.borrow().is_complex() {
        fault!("Q0325", "'{}' is not defined for complex numbers", call.name; "use it on real(z), imag(z) or abs(z)");
    }
    let values = to_f64(&t.data.borrow()).into_owned();
    let sorted = |line: &mut dyn Iterator<Item = f64>| {
        let mut line: Vec<f64> = line.filter(|x| !x.is_nan()).collect();
        line.sort_by(f64::total_cmp);
        line
    };
    if call.args.len() < 3 {
        let line = sorted(&mut values.iter().copied());
        let out: Vec<f64> = shares.iter().map(|p| quantile(&line, *p)).collect();
        return Ok(match call.args[1].is_number() {
            true => Value::scalar(out[0], call.double()),
            false => Value::array(Tensor::scalars(out, call.double())),
        });
    }
    let dim = dimension(call, 2)?;
    if dim >= t.shape.len() {
        return Err(call.wrong(2, "a dimension of the array"));
    }
    let lines = Lines::of(&t, dim);
    let mut out = vec![0.0; lines.starts.len() * shares.len()];
    for (k, start) in lines.starts.iter().enumerate() {
        let line = sorted(&mut lines.items(*start).map(|i| values[i]));
        let (block, offset) = (k / lines.stride.max(1), k % lines.stride.max(1));
        for (j, p) in shares.iter().enumerate() {
            out[(block * shares.len() + j) * lines.stride + offset] = quantile(&line, *p);
        }
    }
    let mut shape = t.shape.clone();
    shape[dim] = shares.len();
    let out = Tensor::new(shape.clone(), real_data(out, call.double()));
    Ok(Value::array(out.reshaped(normal_shape(&shape))))
}

/// `[y,i] = cummax(x[,dim])`: the greatest so far and where it stood first. NaN counts for nothing until all are NaN.
fn running(call: &mut Call, op: Op2) -> Res<Vec<Value>> {
    let t = call.tensor(0)?;
    if t.data.borrow().is_complex() {
        return Err(crate::scalar_ops::complex_order());
    }
    let dim = if call.args.len() > 1 { dimension(call, 1)? } else { usize::from(t.is_vector()) };
    let lines = Lines::of(&t, dim);
    let values = to_f64(&t.data.borrow()).into_owned();
    let better = |a: f64, b: f64| (b.is_nan() && !a.is_nan()) || if op == Op2::Max { a > b } else { a < b };
    let (mut source, mut places) = (vec![0usize; values.len()], vec![0i64; values.len()]);
    for start in &lines.starts {
        let mut best = (*start, 0);
        for (k, i) in lines.items(*start).enumerate() {
            if better(values[i], values[best.0]) {
                best = (i, k as i64);
            }
            (source[i], places[i]) = best;
        }
    }
    let out = super::array::gather(&t, t.shape.clone(), source.into_iter());
    Ok(vec![Value::array(out), Value::array(Tensor::ints(places).reshaped(t.shape.clone()))])
}

fn nnz(call: &mut Call) -> Res<Value> {
    let t = call.tensor(0)?;
    let n = to_c64(&t.data.borrow()).iter().filter(|z| **z != [0.0, 0.0]).count();
    Ok(Value::size(n))
}

pub const TABLE: &[Builtin] = &[
    row!("nnz", "nnz(x)", "number of elements that are not 0", "print nnz([0,5,0,7])", 1..=1, Run::One(nnz)),
    row!(
        "mode",
        "mode(x[,dim])",
        "most frequent value, the least of several",
        "print mode([3,1,3,2])",
        1..=2,
        Run::One(|c| real(c, mode))
    ),
    row!(
        "quantile",
        "quantile(x,p[,dim])",
        "value below which a share p of the elements lies, between neighbours on a line; NaNs do not count",
        "print quantile([1,2,3,4],0.5)",
        2..=3,
        Run::One(|c| quantiles(c, 1.0))
    ),
    row!(
        "prctile",
        "prctile(x,p[,dim])",
        "quantile with p in percent",
        "print prctile([1,2,3,4],[25,75])",
        2..=3,
        Run::One(|c| quantiles(c, 100.0))
    ),
    row!(
        "cummax",
        "cummax(x[,dim]), [y,i]=cummax(x)",
        "greatest element so far; i: where it stands",
        "print cummax([1,3,2])",
        1..=2,
        Run::Many(|c| running(c, Op2::Max))
    ),
    row!(
        "cummin",
        "cummin(x[,dim]), [y,i]=cummin(x)",
        "least element so far; i: where it stands",
        "print cummin([3,1,2])",
        1..=2,
        Run::Many(|c| running(c, Op2::Min))
    ),
];
