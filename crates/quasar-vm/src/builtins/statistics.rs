//! Order statistics and running extremes.

use super::along::{Axis, Number, with_reals};
use super::omit::{Words, worded};
use super::reduce::{dimension, lined_up, real, variances};
use super::{Builtin, Call, Run, row, search};
use crate::arith::{to_c64, to_f64};
use crate::fault::{Res, fault};
use crate::storage;
use crate::tensor::{Data, Tensor, normal_shape, real_data};
use crate::value::Value;
use quadra_numeric::order::{self, Key};
use quadra_quasar_hir::op2::Op2;

/// Runs the same code for real elements as singles or as doubles, with what gives their keys and the numbers of these.
macro_rules! with_keys {
    ($data:expr, $v:ident, $key:ident, $number:ident => $body:expr) => {
        match $data {
            Data::F32(v) | Data::F16(v) => {
                let ($v, $key) = (&v[..], |x: f32| order::of_single(x + 0.0));
                let $number = |k: u32| f64::from(order::single(k));
                $body
            }
            other => {
                let v = to_f64(other);
                let ($v, $key, $number) = (&v[..], |x: f64| order::of_double(x + 0.0), order::double);
                $body
            }
        }
    };
}

/// The most frequent value of each line, the least of several; NaN if there is none.
fn modes(data: &Data, axis: Axis) -> Vec<f64> {
    with_keys!(data, v, key, number => lined_up(v, axis, |line| {
        let counts = order::counted(number_keys(line, key));
        let best = counts.into_iter().reduce(|best, one| if one.1 > best.1 { one } else { best });
        best.map_or(f64::NAN, |(k, _)| number(k))
    }))
}

/// How often the most frequent value of each line occurs.
fn most_often(data: &Data, axis: Axis) -> Vec<f64> {
    with_keys!(data, v, key, _number => lined_up(v, axis, |line| {
        order::counted(number_keys(line, key)).into_iter().map(|one| one.1).max().unwrap_or(0) as f64
    }))
}

/// `[m,n,all] = mode(x[,dim])`.
fn modes_and_counts(call: &mut Call) -> Res<Vec<Value>> {
    let mut results = vec![real(call, modes)?];
    if call.outs > 1 {
        results.push(real(call, most_often)?);
    }
    if call.outs > 2 {
        if call.args.len() > 1 {
            return Err(call.wrong(1, "nothing where three results are asked for"));
        }
        let t = call.tensor(0)?;
        let data = t.data.borrow();
        let all = with_keys!(&*data, v, key, number => {
            let counts = order::counted(number_keys(v, key));
            let most = counts.iter().map(|one| one.1).max();
            counts.iter().filter(|one| Some(one.1) == most).map(|one| number(one.0)).collect::<Vec<f64>>()
        });
        let list = Value::array(Tensor::scalars(all, call.double()));
        results.push(Value::array(Tensor::vector(Data::Cell(vec![list]))));
    }
    Ok(results)
}

/// The keys of the numbers of a line that are not NaN; zeros of both signs have one.
fn number_keys<T: Number, K: Key>(line: &[T], key: impl Fn(T) -> K + Copy + Sync) -> Vec<K> {
    match line.iter().fold(false, |any, x| any | x.is_nan()) {
        true => line.iter().filter(|x| !x.is_nan()).map(|x| key(*x)).collect(),
        false => line.iter().map(|x| key(*x)).collect(),
    }
}

/// Ranks that are looked for one by one; for more of them the numbers are sorted.
const FEW: usize = 6;

/// The quantiles of a line for each of some shares.
fn of_shares<K: Key>(mut keys: Vec<K>, shares: &[f64], number: impl Fn(K) -> f64) -> Vec<f64> {
    let n = keys.len();
    if shares.len() > FEW {
        order::sort(&mut keys);
        return shares.iter().map(|p| quantile(n, *p, |k| number(keys[k]))).collect();
    }
    shares.iter().map(|p| quantile(n, *p, |k| number(order::select(&keys, k)))).collect()
}

/// The value below which a share `p` of `n` values lies, which are given by their ranks: the k-th of n belongs to (k+0.5)/n, others lie on lines between.
fn quantile(n: usize, p: f64, sorted: impl Fn(usize) -> f64) -> f64 {
    if n == 0 || p.is_nan() {
        return f64::NAN;
    }
    let at = (p * n as f64 - 0.5).clamp(0.0, (n - 1) as f64);
    let k = (at as usize).min(n - 1);
    let (own, next) = (sorted(k), sorted((k + 1).min(n - 1)));
    if next == own { next } else { own + (next - own) * (at - k as f64) }
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
    let data = t.data.borrow();
    let along = |axis: Axis| {
        with_keys!(&*data, v, key, number => {
            lined_up(v, axis, |line| of_shares(number_keys(line, key), &shares, number))
        })
    };
    if call.args.len() < 3 {
        let out = along(Axis::whole(t.len())).concat();
        return Ok(match call.args[1].is_number() {
            true => Value::scalar(out[0], call.double()),
            false => Value::array(Tensor::scalars(out, call.double())),
        });
    }
    let dim = dimension(call, 2)?;
    if dim >= t.shape.len() {
        return Err(call.wrong(2, "a dimension of the array"));
    }
    let axis = Axis::of(&t, dim);
    let found = along(axis);
    let mut out = vec![0.0; axis.lines() * shares.len()];
    for (k, list) in found.iter().enumerate() {
        let (block, offset) = (k / axis.inner.max(1), k % axis.inner.max(1));
        for (j, q) in list.iter().enumerate() {
            out[(block * shares.len() + j) * axis.inner + offset] = *q;
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
    let data = t.data.borrow();
    let axis = Axis::of(&t, dim);
    if let (0..2, Data::F32(v)) = (call.outs, &*data) {
        let best = Data::F32(leaders(v, axis, op == Op2::Max, |best, _| best));
        return Ok(vec![Value::array(Tensor::new(t.shape.clone(), best))]);
    }
    let found = with_reals!(&data, v => leaders(v, axis, op == Op2::Max, |_, place| place as u32));
    let block = axis.length * axis.inner;
    let place = |(i, k): (usize, &u32)| i / block * block + *k as usize * axis.inner + i % axis.inner;
    let out = super::array::gather(&t, t.shape.clone(), found.iter().enumerate().map(place));
    let mut results = vec![Value::array(out)];
    if call.outs > 1 {
        let places = Data::Int(found.into_iter().map(|k| k as i32).collect());
        results.push(Value::array(Tensor::new(t.shape.clone(), places)));
    }
    Ok(results)
}

/// For each element, `result` of the best of its line up to it and of the place of that.
fn leaders<T: Number, R: storage::Kept>(
    v: &[T],
    axis: Axis,
    greatest: bool,
    result: impl Fn(T, usize) -> R + Sync,
) -> Vec<R> {
    let better = |a: T, b: T| (b.is_nan() & !a.is_nan()) | if greatest { a > b } else { a < b };
    let block = axis.length * axis.inner;
    storage::build_lines(v.len(), block, 1, |k, out: &mut [R]| {
        let block = &v[k * block..(k + 1) * block];
        if axis.inner == 1 {
            return lead(out.iter_mut().zip(block), better, &result);
        }
        for first in 0..axis.inner {
            let line = block[first..].iter().step_by(axis.inner);
            lead(out[first..].iter_mut().step_by(axis.inner).zip(line), better, &result);
        }
    })
}

/// As [`leaders`], of a line.
#[inline(always)]
fn lead<'a, T: Number, R: 'a>(
    line: impl Iterator<Item = (&'a mut R, &'a T)>,
    better: impl Fn(T, T) -> bool,
    result: impl Fn(T, usize) -> R,
) {
    let mut lead: Option<(T, usize)> = None;
    for (k, (o, x)) in line.enumerate() {
        let (best, place) = lead.unwrap_or((*x, k));
        let (best, place) = if better(*x, best) { (*x, k) } else { (best, place) };
        *o = result(best, place);
        lead = Some((best, place));
    }
}

fn nnz(call: &mut Call) -> Res<Value> {
    let t = call.tensor(0)?;
    let data = t.data.borrow();
    Ok(Value::size(match data.is_complex() {
        true => to_c64(&data).iter().filter(|z| **z != [0.0, 0.0]).count(),
        false => with_reals!(&data, v => search::count(v)),
    }))
}

/// `var` and `std`, which is a function of it.
fn spread(call: &mut Call, of: fn(f64) -> f64) -> Res<Value> {
    if call.args.len() > 1 && matches!(&call.args[1], Value::Array(t) if t.len() > 1) {
        return weighted_spread(call, of);
    }
    let whole = match call.args.len() {
        3 => match call.list(1)?[..] {
            [] | [0.0] => false,
            [1.0] => true,
            _ => return Err(call.wrong(1, "0, 1, [] or a weight for each element")),
        },
        _ => true,
    };
    let scale = |n: usize| if whole || n < 2 { 1.0 } else { n as f64 / (n as f64 - 1.0) };
    let result = |data: &Data, axis: Axis| variances(data, axis).iter().map(|v| of(v * scale(axis.length))).collect();
    if call.args.len() < 3 {
        return real(call, result);
    }
    let args = [call.args[0].clone(), call.args[2].clone()];
    real(&mut call.with(&args), result)
}

/// `var(x,w[,dim])` with a weight for each element along a dimension, or for each element.
fn weighted_spread(call: &mut Call, of: fn(f64) -> f64) -> Res<Value> {
    let (t, weights) = (call.tensor(0)?, call.list(1)?);
    let total: f64 = weights.iter().sum();
    if weights.iter().any(|w| *w < 0.0) || total.is_nan() || total <= 0.0 {
        return Err(call.wrong(1, "weights that are not negative, and not all 0"));
    }
    let along = call.args.len() > 2 || t.len() != weights.len();
    let length = match call.args.get(2) {
        Some(_) => Axis::of(&t, dimension(call, 2)?).length,
        None if along => t.shape[0],
        None => t.len(),
    };
    if length != weights.len() {
        fault!("Q0320", "'{}' of {length} elements with {} weights", call.name, weights.len(); "give one weight for each element along the dimension");
    }
    let result = |data: &Data, axis: Axis| {
        let v = to_f64(data);
        let line = |k: usize| {
            let first = k / axis.inner * axis.length * axis.inner + k % axis.inner;
            let items = || (0..axis.length).map(|i| v[first + i * axis.inner]).zip(&weights);
            let mean = items().map(|(x, w)| x * w).sum::<f64>() / total;
            of(items().map(|(x, w)| w * (x - mean) * (x - mean)).sum::<f64>() / total)
        };
        (0..axis.lines()).map(line).collect()
    };
    let mut args = vec![call.args[0].clone()];
    args.extend(call.args.get(2).cloned().or_else(|| along.then_some(Value::Int(0))));
    real(&mut call.with(&args), result)
}

/// `var` and `std` with words behind: the dimension is the third argument where a weight stands before it.
fn worded_spread(call: &mut Call, f: fn(&mut Call) -> Res<Value>) -> Res<Value> {
    let words = Words::of(call)?;
    let weighted = words.arguments == 3 || (words.arguments == 2 && words.whole);
    worded(call, if weighted { 2 } else { 1 }, f)
}

pub const TABLE: &[Builtin] = &[
    row!(
        "var",
        "var(x[,dim]), var(x,w[,dim])",
        "population variance; with three arguments w = 0 divides by n-1 and w = 1 by n; a vector w is a weight for each element",
        "print var([1,3]), var([1,3],0,1)",
        1..=4,
        Run::One(|c| worded_spread(c, |c| spread(c, |v| v)))
    ),
    row!(
        "std",
        "std(x[,dim]), std(x,w[,dim])",
        "population standard deviation; with three arguments w = 0 divides by n-1 and w = 1 by n; a vector w is a weight for each element",
        "print std([1,3]), std([1,3],0,1)",
        1..=4,
        Run::One(|c| worded_spread(c, |c| spread(c, f64::sqrt)))
    ),
    row!("nnz", "nnz(x)", "number of elements that are not 0", "print nnz([0,5,0,7])", 1..=1, Run::One(nnz)),
    row!(
        "mode",
        "[m,n,all]=mode(x[,dim])",
        "most frequent value, the least of several; n: how often it occurs; all: a cell with the list of all that occur so often, of all elements",
        "print mode([3,1,3,2])",
        1..=2,
        Run::Many(modes_and_counts)
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
