//! Reductions, cumulative sums, sorting and searching.

use super::array::gather;
use super::{Builtin, Call, Run, row};
use crate::arith::{Kind, complex_data, to_c64, to_f64, to_i64};
use crate::fault::{Fault, Res, fault};
use crate::fuse;
use crate::tensor::{Data, Shape, Tensor, normal_shape, real_data};
use crate::value::Value;
use quadra_quasar_hir::meaning::Meaning;
use quadra_quasar_hir::op2::Op2;
use smallvec::SmallVec;
use std::rc::Rc;

/// The lines of an array along a dimension: how many elements each has, and where they are.
pub(super) struct Lines {
    pub length: usize,
    /// Distance of neighbours in a line.
    pub stride: usize,
    pub starts: Vec<usize>,
    /// Shape with the dimension reduced to 1.
    pub shape: Shape,
}

impl Lines {
    pub fn of(t: &Tensor, dim: usize) -> Lines {
        let length = t.shape.get(dim).copied().unwrap_or(1);
        let stride: usize = t.shape.iter().skip(dim + 1).product();
        let block = (length * stride).max(1);
        let blocks = if length == 0 { t.shape.iter().take(dim).product() } else { t.len() / block };
        let starts = (0..blocks).flat_map(|b| (0..stride).map(move |s| b * block + s)).collect();
        let mut shape = t.shape.clone();
        if let Some(n) = shape.get_mut(dim) {
            *n = 1;
        }
        Lines { length, stride, starts, shape }
    }

    pub fn items(&self, start: usize) -> impl Iterator<Item = usize> + use<> {
        let stride = self.stride;
        (0..self.length).map(move |k| start + k * stride)
    }
}

pub(super) fn dimension(call: &Call, i: usize) -> Res<usize> {
    let d = call.integer(i)?;
    usize::try_from(d).ok().filter(|d| *d < 16).ok_or_else(|| call.wrong(i, "a dimension from 0"))
}

/// A reduction of real numbers to one, over all elements or along a dimension. Accumulates in double precision.
pub(super) fn real(call: &mut Call, f: impl Fn(&[f64]) -> f64) -> Res<Value> {
    let t = call.tensor(0)?;
    let data = t.data.borrow();
    let kind = Kind::of_data(&data).unwrap_or(Kind::F64);
    if kind >= Kind::C32 {
        fault!("Q0325", "'{}' is not defined for complex numbers", call.name; "use it on real(z), imag(z) or abs(z)");
    }
    let values = to_f64(&data);
    let double = kind == Kind::F64 || (kind != Kind::F32 && call.double());
    if call.args.len() < 2 {
        return Ok(Value::scalar(f(&values), double));
    }
    let lines = Lines::of(&t, dimension(call, 1)?);
    let mut line = Vec::with_capacity(lines.length);
    let mut out = Vec::with_capacity(lines.starts.len());
    for start in &lines.starts {
        line.clear();
        line.extend(lines.items(*start).map(|i| values[i]));
        out.push(f(&line));
    }
    Ok(Value::array(Tensor::new(normal_shape(&lines.shape), real_data(out, double))))
}

/// `sum`, `prod`: integers stay integers.
fn fold(call: &mut Call, op: Op2, start: f64) -> Res<Value> {
    if let Value::Array(t) = &call.args[0]
        && t.is_cell()
    {
        let mut total = Value::Int(start as i32);
        for i in 0..t.len() {
            total = crate::arith::binary(op, &total, &t.get(i).unwrap_or_default(), call.mode())?;
        }
        return Ok(total);
    }
    let t = call.tensor(0)?;
    let data = t.data.borrow();
    let kind = Kind::of_data(&data).unwrap_or(Kind::F64);
    if kind >= Kind::C32 {
        return fold_complex(call, &t, &data, op, start, kind == Kind::C64);
    }
    if kind.is_int() && call.args.len() < 2 {
        let mut total = start as i64;
        for x in to_i64(&data) {
            total = crate::scalar_ops::integer(op, total, x, true, false, call.mode())?;
        }
        return Ok(i32::try_from(total).map_or(Value::IntN(quadra_quasar_hir::types::IntKind::I64, total), Value::Int));
    }
    if op == Op2::Add
        && let Some((sum, double)) = total(call, &data)
    {
        return Ok(Value::scalar(sum, double));
    }
    drop(data);
    let v = match op {
        Op2::Add => real(call, |v| v.iter().sum()),
        _ => real(call, |v| v.iter().product()),
    }?;
    match (&v, kind.is_int()) {
        (Value::Array(out), true) => {
            let ty = quadra_quasar_hir::types::Type::INT;
            Ok(Value::Array(crate::typing::convert_elements(out, &ty, call.double())?))
        }
        _ => Ok(v),
    }
}

/// The sum of all elements of a real array, if that is asked for, and whether it is double precision.
fn total(call: &Call, data: &Data) -> Option<(f64, bool)> {
    match data {
        _ if call.args.len() > 1 => None,
        Data::F32(v) => Some((fuse::sum(v), false)),
        Data::F64(v) => Some((fuse::sum(v), true)),
        _ => None,
    }
}

fn fold_complex(call: &Call, t: &Tensor, data: &Data, op: Op2, start: f64, double: bool) -> Res<Value> {
    let values = to_c64(data);
    let total = |items: &mut dyn Iterator<Item = usize>| -> Res<[f64; 2]> {
        let mut z = [start, 0.0];
        for i in items {
            z = crate::scalar_ops::complex(op, z, values[i])?;
        }
        Ok(z)
    };
    if call.args.len() < 2 {
        let z = total(&mut (0..values.len()))?;
        return Ok(Value::complex(z[0], z[1], double));
    }
    let lines = Lines::of(t, dimension(call, 1)?);
    let out = lines.starts.iter().map(|s| total(&mut lines.items(*s))).collect::<Res<Vec<_>>>()?;
    Ok(Value::array(Tensor::new(normal_shape(&lines.shape), complex_data(out, double))))
}

/// `max(x)` and `min(x)`, over all elements or along a dimension; the second output is the index.
pub fn extreme(call: &Call, x: &Value, dim: Option<i64>, op: Op2) -> Res<Vec<Value>> {
    if x.is_number() {
        return Ok(vec![x.clone(), Value::Int(0)]);
    }
    let t = match x {
        Value::Array(t) if !t.is_cell() => t.clone(),
        _ => return Err(call.wrong(0, "an array of numbers")),
    };
    let data = t.data.borrow();
    if data.is_complex() {
        return Err(crate::scalar_ops::complex_order());
    }
    if t.is_empty() {
        fault!("Q0395", "'{}' of an empty array", call.name; "test with isempty(x) first");
    }
    let values = to_f64(&data);
    let better = |a: f64, b: f64| if op == Op2::Max { a > b || b.is_nan() } else { a < b || b.is_nan() };
    let best = |items: &mut dyn Iterator<Item = usize>| {
        items.enumerate().fold((0usize, None::<usize>), |(k, best), (n, i)| match best {
            Some(b) if !better(values[i], values[b]) => (k, best),
            _ => (n, Some(i)),
        })
    };
    match dim {
        None => {
            let (k, i) = best(&mut (0..values.len()));
            Ok(vec![data.get(i.unwrap_or(0)).unwrap_or_default(), Value::size(k)])
        }
        Some(d) => {
            let d = usize::try_from(d).map_err(|_| call.wrong(2, "a dimension from 0"))?;
            let lines = Lines::of(&t, d);
            let found: Vec<(usize, usize)> =
                lines.starts.iter().map(|s| best(&mut lines.items(*s))).map(|(k, i)| (k, i.unwrap_or(0))).collect();
            drop(values);
            let shape = normal_shape(&lines.shape);
            let out = gather(&t, shape.clone(), found.iter().map(|f| f.1));
            let at = Tensor::ints(found.iter().map(|f| f.0 as i64)).reshaped(shape);
            Ok(vec![Value::array(out), Value::array(at)])
        }
    }
}

fn cumulate(call: &mut Call, op: Op2) -> Res<Value> {
    let t = call.tensor(0)?;
    let dim = match call.args.len() {
        2 => dimension(call, 1)?,
        _ => usize::from(t.is_vector()),
    };
    let lines = Lines::of(&t, dim);
    let data = t.data.borrow();
    let kind = Kind::of_data(&data).unwrap_or(Kind::F64);
    let mut values = to_c64(&data);
    for start in &lines.starts {
        let mut total: Option<[f64; 2]> = None;
        for i in lines.items(*start) {
            let next = match total {
                Some(z) => crate::scalar_ops::complex(op, z, values[i])?,
                None => values[i],
            };
            values[i] = next;
            total = Some(next);
        }
    }
    let data = match kind {
        Kind::C32 | Kind::C64 => complex_data(values, kind == Kind::C64),
        k if k.is_int() => Data::Int(values.iter().map(|z| z[0] as i32).collect()),
        _ => real_data(values.iter().map(|z| z[0]).collect(), kind == Kind::F64),
    };
    Ok(Value::array(Tensor::new(t.shape.clone(), data)))
}

fn mean(v: &[f64]) -> f64 {
    v.iter().sum::<f64>() / v.len() as f64
}

fn variance(v: &[f64]) -> f64 {
    let m = mean(v);
    v.iter().map(|x| (x - m) * (x - m)).sum::<f64>() / v.len() as f64
}

pub fn median(v: &[f64]) -> f64 {
    let mut v = v.to_vec();
    v.sort_by(f64::total_cmp);
    match v.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => v[n / 2],
        n => (v[n / 2 - 1] + v[n / 2]) / 2.0,
    }
}

fn average(call: &mut Call) -> Res<Value> {
    let t = call.tensor(0)?;
    if t.data.borrow().is_complex() {
        let n = if call.args.len() < 2 { t.len() } else { t.shape.get(dimension(call, 1)?).copied().unwrap_or(1) };
        let total = fold(call, Op2::Add, 0.0)?;
        return crate::arith::binary(Op2::Div, &total, &Value::size(n), call.mode());
    }
    if let Some((sum, double)) = total(call, &t.data.borrow()) {
        return Ok(Value::scalar(sum / t.len() as f64, double));
    }
    real(call, mean)
}

/// `any` and `all`, over all elements or along a dimension.
fn test(call: &mut Call, all: bool) -> Res<Value> {
    let t = call.tensor(0)?;
    let truths: Vec<bool> = to_c64(&t.data.borrow()).into_iter().map(|z| z != [0.0, 0.0]).collect();
    let verdict = |mut items: &mut dyn Iterator<Item = usize>| {
        let items = &mut items;
        if all { items.all(|i| truths[i]) } else { items.any(|i| truths[i]) }
    };
    if call.args.len() < 2 {
        return Ok(Value::bool(verdict(&mut (0..truths.len()))));
    }
    let lines = Lines::of(&t, dimension(call, 1)?);
    let out = lines.starts.iter().map(|s| u8::from(verdict(&mut lines.items(*s)))).collect();
    Ok(Value::array(Tensor::new(normal_shape(&lines.shape), Data::Mask(out))))
}

/// A text argument that says which way to sort.
fn descends(call: &Call, i: usize) -> Res<bool> {
    match call.text(i)? {
        "ascend" => Ok(false),
        "descend" => Ok(true),
        _ => Err(call.wrong(i, "\"ascend\" or \"descend\"")),
    }
}

/// `[s,i] = sort(x[,dim][,"descend"])`; NaN counts as greater than every number.
fn sort(call: &mut Call) -> Res<Vec<Value>> {
    if let Value::Array(t) = &call.args[0]
        && t.is_cell()
    {
        return sort_texts(call, t);
    }
    let t = call.tensor(0)?;
    if t.data.borrow().is_complex() {
        return Err(crate::scalar_ops::complex_order());
    }
    let word = (1..call.args.len()).find(|i| call.args[*i].as_text().is_some());
    let descends = word.map_or(Ok(false), |i| descends(call, i))?;
    let dim = match call.args.get(1) {
        Some(v) if v.as_text().is_none() => dimension(call, 1)?,
        _ => usize::from(t.is_vector()),
    };
    let lines = Lines::of(&t, dim);
    let values = to_f64(&t.data.borrow()).into_owned();
    let mut source = vec![0usize; t.len()];
    let mut ranks = vec![0i64; t.len()];
    for start in &lines.starts {
        let mut order: Vec<usize> = (0..lines.length).collect();
        let at = |k: usize| start + k * lines.stride;
        order.sort_by(|a, b| {
            let found = values[at(*a)].total_cmp(&values[at(*b)]);
            if descends { found.reverse() } else { found }
        });
        for (k, o) in order.into_iter().enumerate() {
            source[at(k)] = at(o);
            ranks[at(k)] = o as i64;
        }
    }
    let sorted = gather(&t, t.shape.clone(), source.into_iter());
    let ranks = Tensor::ints(ranks).reshaped(t.shape.clone());
    Ok(vec![Value::array(sorted), Value::array(ranks)])
}

fn sort_texts(call: &Call, t: &Tensor) -> Res<Vec<Value>> {
    let texts: Vec<Value> = (0..t.len()).map(|i| t.get(i).unwrap_or_default()).collect();
    if texts.iter().any(|v| v.as_text().is_none()) {
        return Err(call.wrong(0, "numbers or a cell of strings"));
    }
    let descends = if call.args.len() > 1 { descends(call, 1)? } else { false };
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_by(|a, b| {
        let found = texts[*a].as_text().cmp(&texts[*b].as_text());
        if descends { found.reverse() } else { found }
    });
    let places = Tensor::ints(order.iter().map(|i| *i as i64)).reshaped(t.shape.clone());
    Ok(vec![Value::array(gather(t, t.shape.clone(), order.into_iter())), Value::array(places)])
}

/// `find(x[,n])`: the positions of the first n elements that are not 0, or of the last with "last"; for several results one list
/// for each dimension, and one of the elements if that is one more.
fn find(call: &mut Call) -> Res<Vec<Value>> {
    let t = call.tensor(0)?;
    let mut hits: Vec<usize> =
        to_c64(&t.data.borrow()).iter().enumerate().filter(|(_, z)| **z != [0.0, 0.0]).map(|(i, _)| i).collect();
    if call.args.len() > 1 {
        let n = usize::try_from(call.integer(1)?).map_err(|_| call.wrong(1, "a number from 0"))?;
        match if call.args.len() > 2 { call.text(2)? } else { "first" } {
            "first" => hits.truncate(n),
            "last" => drop(hits.drain(..hits.len().saturating_sub(n))),
            _ => return Err(call.wrong(2, "\"first\" or \"last\"")),
        }
    }
    let rank = t.shape.len();
    if call.outs > rank + 1 {
        fault!("Q0305", "'find' has {} outputs for an array of {rank} dimensions, {} requested", rank + 1, call.outs);
    }
    if call.outs > 1 {
        let stride = |d: usize| t.shape[d + 1..].iter().product::<usize>();
        let place = |d: usize| Tensor::ints(hits.iter().map(|i| (i / stride(d) % t.shape[d]) as i64));
        let mut lists: Vec<Value> = (0..rank).map(|d| Value::array(place(d))).collect();
        lists.push(Value::array(gather(&t, SmallVec::from_slice(&[1, hits.len()]), hits.iter().copied())));
        return Ok(lists);
    }
    let mut out = Vec::with_capacity(hits.len() * rank);
    for mut i in hits.iter().copied() {
        let mut position = vec![0i64; rank];
        for d in (0..rank).rev() {
            position[d] = (i % t.shape[d]) as i64;
            i /= t.shape[d];
        }
        out.extend(position);
    }
    let shape: Shape =
        if hits.is_empty() { SmallVec::from_slice(&[0, 0]) } else { SmallVec::from_slice(&[hits.len(), rank]) };
    Ok(vec![Value::array(Tensor::ints(out).reshaped(shape))])
}

fn hist(call: &mut Call) -> Res<Value> {
    let (values, n) = (call.list(0)?, call.integer(1)?);
    let n = usize::try_from(n)
        .ok()
        .filter(|n| *n > 0 && *n < 1 << 24)
        .ok_or_else(|| call.wrong(1, "a number of bins from 1"))?;
    let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(*x), h.max(*x)));
    let mut bins = vec![0i64; n];
    for x in values {
        let k = if high > low { ((x - low) / (high - low) * n as f64) as usize } else { 0 };
        bins[k.min(n - 1)] += 1;
    }
    Ok(Value::array(Tensor::ints(bins)))
}

fn dotprod(call: &mut Call) -> Res<Value> {
    let (a, b): (Rc<Tensor>, Rc<Tensor>) = (call.tensor(0)?, call.tensor(1)?);
    if a.len() != b.len() {
        return Err(Fault::new("Q0320", format!("operands of 'dotprod' have {} and {} elements", a.len(), b.len()))
            .help("both need the same number of elements"));
    }
    let (x, y) = (a.data.borrow(), b.data.borrow());
    let kind = Kind::of_data(&x).unwrap_or(Kind::F64).promote(Kind::of_data(&y).unwrap_or(Kind::F64));
    if kind >= Kind::C32 {
        let z = to_c64(&x).into_iter().zip(to_c64(&y)).try_fold([0.0, 0.0], |z, (p, q)| {
            let product = crate::scalar_ops::complex(Op2::Mul, p, q)?;
            crate::scalar_ops::complex(Op2::Add, z, product)
        })?;
        return Ok(Value::complex(z[0], z[1], kind == Kind::C64));
    }
    let total: f64 = to_f64(&x).iter().zip(to_f64(&y).iter()).map(|(p, q)| p * q).sum();
    if kind.is_int() {
        return Ok(i32::try_from(total as i64).map_or(Value::scalar(total, call.double()), Value::Int));
    }
    Ok(Value::scalar(total, kind == Kind::F64))
}

pub const TABLE: &[Builtin] = &[
    row!(
        "sum",
        "sum(x[,dim])",
        "sum of all elements, or along a dimension",
        "print sum([1,2,3])",
        1..=2,
        Run::One(|c| fold(c, Op2::Add, 0.0))
    )
    .means(Meaning::Sum)
    .frugal(),
    row!(
        "prod",
        "prod(x[,dim])",
        "product of all elements, or along a dimension",
        "print prod([1,2,3])",
        1..=2,
        Run::One(|c| fold(c, Op2::Mul, 1.0))
    )
    .means(Meaning::Product)
    .frugal(),
    row!(
        "mean",
        "mean(x[,dim])",
        "mean of all elements, or along a dimension",
        "print mean([1,2,3])",
        1..=2,
        Run::One(average)
    )
    .means(Meaning::Mean)
    .frugal(),
    row!("var", "var(x[,dim])", "population variance", "print var([1,3])", 1..=2, Run::One(|c| real(c, variance))),
    row!(
        "std",
        "std(x[,dim])",
        "population standard deviation",
        "print std([1,3])",
        1..=2,
        Run::One(|c| real(c, |v| variance(v).sqrt()))
    ),
    row!("median", "median(x[,dim])", "middle value", "print median([3,1,2])", 1..=2, Run::One(|c| real(c, median))),
    row!("any", "any(x[,dim])", "1 if an element is not 0", "print any([0,1])", 1..=2, Run::One(|c| test(c, false)))
        .means(Meaning::Truth { all: false }),
    row!("all", "all(x[,dim])", "1 if no element is 0", "print all([0,1])", 1..=2, Run::One(|c| test(c, true)))
        .means(Meaning::Truth { all: true }),
    row!(
        "cumsum",
        "cumsum(x[,dim])",
        "running sum",
        "print cumsum([1,2,3])",
        1..=2,
        Run::One(|c| cumulate(c, Op2::Add))
    ),
    row!(
        "cumprod",
        "cumprod(x[,dim])",
        "running product",
        "print cumprod([1,2,3])",
        1..=2,
        Run::One(|c| cumulate(c, Op2::Mul))
    ),
    row!(
        "sort",
        "sort(x[,dim][,\"descend\"]), [s,i]=sort(x)",
        "ascending, stable; columns of a matrix; i: where each came from; strings in a cell, too",
        "print sort([3,1,2])",
        1..=3,
        Run::Many(sort)
    ),
    row!(
        "find",
        "find(x[,n[,\"last\"]])",
        "positions of the elements that are not 0, or of the first or last n of them, one per row; [i,j,v] = find(x) gives rows, columns and elements",
        "print find([0,5,0,7])",
        1..=3,
        Run::Many(find)
    ),
    row!(
        "hist",
        "hist(x,n)",
        "how many values fall into each of n equal intervals",
        "print hist([0,1,2,9],2)",
        2..=2,
        Run::One(hist)
    ),
    row!("dotprod", "dotprod(a,b)", "sum of products", "print dotprod([1,2],[3,4])", 2..=2, Run::One(dotprod))
        .means(Meaning::DotProduct),
    row!("inprod", "inprod(a,b)", "the same as dotprod", "print inprod([1,2],[3,4])", 2..=2, Run::One(dotprod))
        .means(Meaning::DotProduct),
];
