//! Making and rearranging arrays.

use super::{Builtin, Call, Run, row};
use crate::arith::{Kind, to_f64};
use crate::fault::{Fault, Res, fault};
use crate::strided::Walk;
use crate::tensor::{Data, Shape, Tensor, normal_shape, remap};
use crate::value::Value;
use crate::{display, literal, storage};
use quadra_quasar_hir::meaning::{Fill, Gives, Meaning};
use quadra_quasar_hir::types::Type;
use smallvec::SmallVec;
use std::rc::Rc;

/// Lengths given as numbers or as one vector; one number makes a vector of that length.
pub fn shape_from(args: &[Value], what: &str) -> Res<Shape> {
    let mut dims: Vec<f64> = Vec::new();
    for v in args {
        match v {
            Value::Array(t) if !t.is_cell() => dims.extend(to_f64(&t.data.borrow()).iter()),
            v => match v.as_f64() {
                Some(x) => dims.push(x),
                None => {
                    let ty = crate::typing::type_of(v, false);
                    fault!("Q0390", "the size of {what} needs numbers, not a '{ty}'"; "give lengths, or one vector of lengths");
                }
            },
        }
    }
    if dims.len() > 16 {
        fault!("Q0390", "{} dimensions", dims.len(); "arrays have up to 16 dimensions");
    }
    if let Some(bad) = dims.iter().find(|d| **d < 0.0 || d.is_nan() || **d > 1e12) {
        fault!("Q0390", "a length of {} for {what}", display::real(*bad); "lengths are whole numbers from 0");
    }
    let dims: Vec<usize> = dims.into_iter().map(|d| d as usize).collect();
    Ok(normal_shape(&dims))
}

fn filled(call: &mut Call, element: &Type, value: Option<f64>) -> Res<Value> {
    let dims = match call.args.last().and_then(Value::as_text) {
        // Arrays of numbers have the precision of the program.
        Some("single" | "double") if call.args.len() > 1 => &call.args[..call.args.len() - 1],
        Some(kind) if call.args.len() > 1 => {
            fault!("Q0390", "'{}' makes no array of \"{kind}\"", call.name; "convert the array: uint8(zeros(2,3))")
        }
        _ => call.args,
    };
    let shape = shape_from(dims, "an array")?;
    let t = Tensor::zeros(shape, element, call.double())?;
    if let Some(x) = value {
        match &mut *t.data.borrow_mut() {
            Data::F32(v) => v.fill(x as f32),
            Data::F64(v) => v.fill(x),
            _ => {}
        }
    }
    Ok(Value::array(t))
}

fn eye(call: &mut Call) -> Res<Value> {
    let shape = match call.args {
        [one] if one.is_number() => shape_from(&[one.clone(), one.clone()], "a matrix")?,
        args => shape_from(args, "a matrix")?,
    };
    if shape.len() > 2 {
        return Err(call.wrong(0, "one or two lengths"));
    }
    let columns = shape[1];
    let t = Tensor::zeros(shape, &Type::SCALAR, call.double())?;
    for i in 0..t.shape[0].min(columns) {
        crate::store::put(&mut t.data.borrow_mut(), i * columns + i, &Value::Int(1), t.fit)?;
    }
    Ok(Value::array(t))
}

fn linspace(call: &mut Call) -> Res<Value> {
    let (a, b) = (call.number(0)?, call.number(1)?);
    let n = if call.args.len() > 2 { call.integer(2)? } else { 100 };
    if !(0..=1 << 31).contains(&n) || !crate::memory::fits(n as usize * 8) {
        fault!("Q0390", "linspace with {n} values"; "the number of values is a whole number from 0");
    }
    let value = |k: usize| if n == 1 { b } else { a + (b - a) * k as i32 as f64 / (n - 1) as f64 };
    let data = match call.double() {
        true => Data::F64(storage::build(n as usize, |range, out| range.zip(out).for_each(|(k, o)| *o = value(k)))),
        false => {
            Data::F32(storage::build(n as usize, |range, out| range.zip(out).for_each(|(k, o)| *o = value(k) as f32)))
        }
    };
    Ok(Value::array(Tensor::vector(data)))
}

/// An array argument that may be a cell.
pub(super) fn any_tensor(call: &Call, i: usize) -> Res<Rc<Tensor>> {
    match &call.args[i] {
        Value::Array(t) => Ok(t.clone()),
        _ => call.tensor(i),
    }
}

fn reshape(call: &mut Call) -> Res<Value> {
    let t = any_tensor(call, 0)?;
    let empty = |v: &Value| matches!(v, Value::Array(t) if !t.is_cell() && t.is_empty());
    let dims = &call.args[1..];
    let shape = match dims.iter().position(empty).filter(|_| dims.len() > 1) {
        // The length that is left out follows from the others.
        Some(open) => {
            let mut dims = dims.to_vec();
            dims[open] = Value::Int(1);
            let known: usize = shape_from(&dims, "the result")?.iter().product();
            dims[open] = Value::size(t.len().checked_div(known).unwrap_or(0));
            shape_from(&dims, "the result")?
        }
        None => shape_from(dims, "the result")?,
    };
    if shape.iter().product::<usize>() != t.len() {
        let (from, to) = (display::shape_text(&t.shape), display::shape_text(&shape));
        fault!("Q0391", "an array of size {from} cannot be reshaped to {to}"; "the number of elements must stay the same");
    }
    Ok(Value::array(t.reshaped(shape)))
}

/// The elements at row-major positions of the source, in a new shape.
pub fn gather(t: &Tensor, shape: Shape, source: impl Iterator<Item = usize>) -> Tensor {
    let data = remap!(&*t.data.borrow(), v => source.map(|i| v[i].to_owned()).collect());
    Tensor::new(shape, data).with_fit(t.fit).with_cell_type(t.cell_type.clone())
}

/// Distances of neighbours along the dimensions of an array.
fn strides(shape: &[usize]) -> Vec<isize> {
    let mut strides = vec![1; shape.len()];
    for d in (1..shape.len()).rev() {
        strides[d - 1] = strides[d] * shape[d] as isize;
    }
    strides
}

fn repmat(call: &mut Call) -> Res<Value> {
    let t = any_tensor(call, 0)?;
    let times = match &call.args[1..] {
        [one] if one.is_number() => shape_from(&[one.clone(), one.clone()], "the result")?,
        args => shape_from(args, "the result")?,
    };
    let n = t.shape.len().max(times.len());
    let at = |s: &[usize], d: usize| s.get(d).copied().unwrap_or(1);
    let shape: Shape = (0..n).map(|d| at(&t.shape, d) * at(&times, d)).collect();
    if !crate::memory::fits(shape.iter().fold(8usize, |a, b| a.saturating_mul(*b))) {
        return Err(Fault::new("Q0310", format!("out of memory: a result of size {}", display::shape_text(&shape))));
    }
    let own = strides(&t.shape);
    let dims = (0..n).flat_map(|d| [(at(&times, d), 0), (at(&t.shape, d), own.get(d).copied().unwrap_or(0))]);
    Ok(Value::array(Walk::new(0, dims).take(&t, shape)))
}

/// The transposed matrix.
pub fn transposed(t: &Tensor) -> Res<Tensor> {
    if t.shape.len() > 2 {
        fault!("Q0392", "transpose needs a vector or matrix, not an array of size {}", display::shape_text(&t.shape); "use permute(x,order)");
    }
    let (rows, columns) = (t.shape[0], t.shape[1]);
    let walk = Walk::new(0, [(columns, 1), (rows, columns as isize)]);
    Ok(walk.take(t, SmallVec::from_slice(&[columns, rows])))
}

fn transpose(call: &mut Call) -> Res<Value> {
    if call.args[0].is_number() {
        return Ok(call.args[0].clone());
    }
    Ok(Value::array(transposed(&*any_tensor(call, 0)?)?))
}

fn concatenate(call: &mut Call, dim: usize) -> Res<Value> {
    if dim == 1 && call.args.iter().any(|a| matches!(a, Value::Str(_))) && call.args.iter().all(is_text) {
        let text: String =
            call.args.iter().filter_map(|a| if let Value::Str(s) = a { Some(&***s) } else { None }).collect();
        return Ok(Value::str(&text));
    }
    // Objects side by side, or texts one below the other, are the elements of a cell.
    let among_cells = call.args.iter().any(|a| matches!(a, Value::Object(_) | Value::Str(_)));
    let parts = (0..call.args.len())
        .map(|i| match &call.args[i] {
            Value::Array(t) if t.is_cell() || t.is_empty() || !among_cells => Ok(t.clone()),
            v @ (Value::Object(_) | Value::Str(_)) if among_cells => {
                Ok(Rc::new(Tensor::new(SmallVec::from_slice(&[1, 1]), Data::Cell(vec![v.clone()]))))
            }
            _ => any_tensor(call, i),
        })
        .collect::<Res<Vec<_>>>()?;
    if among_cells && parts.iter().any(|t| !t.is_cell() && !t.is_empty()) {
        let i = call.args.iter().position(|a| !matches!(a, Value::Array(_))).unwrap_or(0);
        return Err(call.wrong(i, "an array of numbers"));
    }
    joined(call, parts, dim)
}

/// A text, or nothing.
fn is_text(v: &Value) -> bool {
    matches!(v, Value::Str(_)) || matches!(v, Value::Array(t) if t.is_empty() && !t.is_cell())
}

/// Arrays one behind the other along a dimension; empty ones count for nothing.
pub(super) fn joined(call: &Call, mut parts: Vec<Rc<Tensor>>, dim: usize) -> Res<Value> {
    parts.retain(|t| !t.is_empty());
    let Some(first) = parts.first() else { return literal::array(&[], call.mode()) };
    let rank = parts.iter().map(|t| t.shape.len()).max().unwrap_or(2);
    let at = |t: &Tensor, d: usize| t.shape.get(d).copied().unwrap_or(1);
    for t in &parts {
        if (0..rank).any(|d| d != dim && at(t, d) != at(first, d)) {
            let (a, b) = (display::shape_text(&first.shape), display::shape_text(&t.shape));
            fault!("Q0393", "'{}' of arrays of sizes {a} and {b}", call.name; "the sizes may differ only along the joined dimension");
        }
    }
    let mut shape: Shape = (0..rank).map(|d| at(first, d)).collect();
    shape[dim] = parts.iter().map(|t| at(t, dim)).sum();
    let cell = parts.iter().any(|t| t.is_cell());
    let kind = parts.iter().filter_map(|t| Kind::of_data(&t.data.borrow())).fold(Kind::Int, Kind::promote);
    let outer: usize = shape[..dim].iter().product();
    let element = match kind {
        Kind::C32 | Kind::C64 => Type::COMPLEX,
        Kind::Int if !parts.iter().any(|t| t.shape[..] == [1, 1]) => Type::INT,
        Kind::Wide => Type::Int(quadra_quasar_hir::types::IntKind::I64, quadra_quasar_hir::types::Fit::Checked),
        _ => Type::SCALAR,
    };
    // The runs of elements that lie together, in the order of the result.
    let chunk = |t: &Tensor| (dim..rank).map(|d| at(t, d)).product::<usize>();
    let runs = (0..outer).flat_map(|o| parts.iter().map(move |t| (t, o * chunk(t)..(o + 1) * chunk(t))));
    if cell {
        let values = runs.flat_map(|(t, run)| run.map(|i| t.get(i).unwrap_or_default())).collect();
        return Ok(Value::array(Tensor::new(shape, Data::Cell(values))));
    }
    let out = Tensor::zeros(shape, &element, call.double())?;
    let mut target = out.data.borrow_mut();
    let mut k = 0;
    for (t, run) in runs {
        let n = run.len();
        match (&mut *target, &*t.data.borrow()) {
            (Data::F32(out), Data::F32(v)) => out[k..k + n].copy_from_slice(&v[run]),
            (Data::F64(out), Data::F64(v)) => out[k..k + n].copy_from_slice(&v[run]),
            (Data::Int(out), Data::Int(v)) => out[k..k + n].copy_from_slice(&v[run]),
            (Data::C32(out), Data::C32(v)) => out[k..k + n].copy_from_slice(&v[run]),
            (target, v) => {
                for (k, i) in (k..).zip(run) {
                    crate::store::put(target, k, &v.get(i).unwrap_or_default(), out.fit)?;
                }
            }
        }
        k += n;
    }
    drop(target);
    Ok(Value::array(out))
}

fn flip(call: &mut Call, dim: usize) -> Res<Value> {
    if dim == 1
        && let Some(text) = call.args[0].as_text()
    {
        return Ok(Value::str(&text.chars().rev().collect::<String>()));
    }
    let t = any_tensor(call, 0)?;
    let shape = t.shape.clone();
    let n = shape[dim];
    let own = strides(&shape);
    let start = n.saturating_sub(1) * own[dim] as usize;
    let dims = shape.iter().zip(&own).enumerate().map(|(d, (n, step))| (*n, if d == dim { -step } else { *step }));
    Ok(Value::array(Walk::new(start, dims).take(&t, shape.clone())))
}

fn circshift(call: &mut Call) -> Res<Value> {
    let t = any_tensor(call, 0)?;
    let mut shift: Vec<i64> = call.list(1)?.iter().map(|s| *s as i64).collect();
    if call.args.len() > 2 {
        let dim = usize::try_from(call.integer(2)?).ok().filter(|d| *d < t.shape.len() && shift.len() == 1);
        let dim = dim.ok_or_else(|| call.wrong(2, "a dimension of the array, for one distance"))?;
        shift = (0..t.shape.len()).map(|d| if d == dim { shift[0] } else { 0 }).collect();
    } else if shift.len() == 1 && t.is_vector() {
        shift.insert(0, 0);
    }
    let shape = t.shape.clone();
    if shift.len() > shape.len() {
        return Err(call.wrong(1, "at most one distance per dimension"));
    }
    // Where a dimension begins in the source; a run of the innermost one ends where the source's does.
    let from = |d: usize| (-shift.get(d).copied().unwrap_or(0)).rem_euclid(shape[d].max(1) as i64) as usize;
    let (own, last) = (strides(&shape), shape.len() - 1);
    let n = shape[last];
    let row = |k: usize| {
        let (mut rest, mut at) = (k, 0);
        for d in (0..last).rev() {
            at += (rest % shape[d] + from(d)) % shape[d] * own[d] as usize;
            rest /= shape[d];
        }
        at
    };
    let first = from(last);
    let runs = (0..t.len().checked_div(n).unwrap_or(0)).map(|k| row(k)..row(k) + n);
    let data = remap!(&*t.data.borrow(), v => {
        let mut out = Vec::with_capacity(v.len());
        for run in runs {
            let run = &v[run];
            out.extend_from_slice(&run[first..]);
            out.extend_from_slice(&run[..first]);
        }
        out
    });
    Ok(Value::array(Tensor::new(shape, data).with_fit(t.fit).with_cell_type(t.cell_type.clone())))
}

/// A square matrix with these values on its diagonal.
pub(super) fn on_diagonal(t: &Tensor, double: bool) -> Res<Value> {
    beside_diagonal(t, 0, double)
}

/// A square matrix with these values on the diagonal `k` to the right of the main one.
fn beside_diagonal(t: &Tensor, k: i64, double: bool) -> Res<Value> {
    let n = t.len().saturating_add(k.unsigned_abs() as usize);
    let element = crate::typing::element_type(t, double);
    let out = Tensor::zeros(SmallVec::from_slice(&[n, n]), &element, double)?;
    let first = if k < 0 { k.unsigned_abs() as usize * n } else { k as usize };
    for i in 0..t.len() {
        crate::store::put(&mut out.data.borrow_mut(), first + i * n + i, &t.get(i).unwrap_or_default(), out.fit)?;
    }
    Ok(Value::array(out))
}

fn diag(call: &mut Call) -> Res<Value> {
    let t = call.tensor(0)?;
    if t.shape.len() > 2 {
        return Err(call.wrong(0, "a vector or matrix"));
    }
    let k = match call.args.get(1) {
        Some(k) => k.as_index().filter(|_| k.is_number()).ok_or_else(|| call.wrong(1, "a whole number"))?,
        None => 0,
    };
    let (rows, columns) = (t.shape[0], t.shape[1]);
    if rows == 1 || columns == 1 {
        return beside_diagonal(&t, k, call.double());
    }
    let away = k.unsigned_abs() as usize;
    let (first, n) = match k < 0 {
        true => (away.saturating_mul(columns), rows.saturating_sub(away).min(columns)),
        false => (away, columns.saturating_sub(away).min(rows)),
    };
    Ok(Value::array(gather(&t, SmallVec::from_slice(&[1, n]), (0..n).map(|i| first + i * columns + i))))
}

fn permute(call: &mut Call) -> Res<Value> {
    let t = any_tensor(call, 0)?;
    let order: Vec<usize> = call.list(1)?.iter().map(|d| *d as usize).collect();
    let rank = order.len().max(t.shape.len());
    let mut seen = order.clone();
    seen.sort_unstable();
    if seen != (0..rank).collect::<Vec<_>>() {
        fault!("Q0394", "the order of 'permute' must name every dimension once"; "for example permute(x,[2,0,1])");
    }
    let mut source_shape = t.shape.clone();
    source_shape.resize(rank, 1);
    let own = strides(&source_shape);
    let shape: Shape = order.iter().map(|d| source_shape[*d]).collect();
    let walk = Walk::new(0, order.iter().map(|d| (source_shape[*d], own[*d])));
    Ok(Value::array(walk.take(&t, normal_shape(&shape))))
}

fn squeeze(call: &mut Call) -> Res<Value> {
    let t = any_tensor(call, 0)?;
    let kept: Vec<usize> = t.shape.iter().copied().filter(|n| *n != 1).collect();
    Ok(Value::array(t.reshaped(normal_shape(&kept))))
}

pub const TABLE: &[Builtin] = &[
    row!(
        "zeros",
        "zeros(d…)",
        "array of zeros",
        "print zeros(2,3)",
        1..=16,
        Run::One(|c| filled(c, &Type::SCALAR, None))
    )
    .means(Meaning::Fill(Fill::Zeros)),
    row!(
        "ones",
        "ones(d…)",
        "array of ones",
        "print ones(2,2)",
        1..=16,
        Run::One(|c| filled(c, &Type::SCALAR, Some(1.0)))
    )
    .means(Meaning::Fill(Fill::Ones)),
    row!(
        "uninit",
        "uninit(d…)",
        "array without defined content (zeros here)",
        "print size(uninit(2,3))",
        1..=16,
        Run::One(|c| filled(c, &Type::SCALAR, None))
    )
    .means(Meaning::Fill(Fill::Uninitialised)),
    row!(
        "czeros",
        "czeros(d…)",
        "complex zeros",
        "print czeros(2)",
        1..=16,
        Run::One(|c| filled(c, &Type::COMPLEX, None))
    )
    .means(Meaning::Fill(Fill::ComplexZeros)),
    row!("eye", "eye(n[,m])", "identity matrix", "print eye(2)", 1..=2, Run::One(eye)).means(Meaning::Identity),
    row!(
        "linspace",
        "linspace(a,b[,n])",
        "n equally spaced values with both ends, 100 by default",
        "print linspace(1,2,5)",
        2..=3,
        Run::One(linspace)
    )
    .gives(Gives::Vector),
    row!(
        "reshape",
        "reshape(x,d…)",
        "the same elements in another shape; a length that is [] follows from the others",
        "print reshape(0..5,2,3)",
        2..=17,
        Run::One(reshape)
    ),
    row!("repmat", "repmat(x,d…)", "copies of x side by side", "print repmat([1,2],2,2)", 2..=17, Run::One(repmat)),
    row!(
        "transpose",
        "transpose(x)",
        "matrix with rows and columns exchanged (no conjugation)",
        "print transpose([1,2])",
        1..=1,
        Run::One(transpose)
    )
    .means(Meaning::Transpose),
    row!(
        "vertcat",
        "vertcat(a,…)",
        "arrays joined along dimension 0",
        "print vertcat([1,2],[3,4])",
        1..=250,
        Run::One(|c| concatenate(c, 0))
    ),
    row!(
        "horzcat",
        "horzcat(a,…)",
        "arrays joined along dimension 1",
        "print horzcat([1,2],[3,4])",
        1..=250,
        Run::One(|c| concatenate(c, 1))
    ),
    row!(
        "fliplr",
        "fliplr(x)",
        "columns in reverse order, or the characters of a string",
        "print fliplr([1,2,3])",
        1..=1,
        Run::One(|c| flip(c, 1))
    ),
    row!("flipud", "flipud(x)", "rows in reverse order", "print flipud([[1],[2]])", 1..=1, Run::One(|c| flip(c, 0))),
    row!(
        "circshift",
        "circshift(x,s[,dim])",
        "elements moved around by s, one distance per dimension, or one along a dimension",
        "print circshift([1,2,3],1)",
        2..=3,
        Run::One(circshift)
    ),
    row!(
        "diag",
        "diag(x[,k])",
        "diagonal matrix of a vector, or diagonal of a matrix; k: how far to the right of the main diagonal",
        "print diag([1,2])",
        1..=2,
        Run::One(diag)
    ),
    row!(
        "permute",
        "permute(x,order)",
        "dimensions in another order",
        "print size(permute(ones(2,3,4),[2,0,1]))",
        2..=2,
        Run::One(permute)
    ),
    row!(
        "squeeze",
        "squeeze(x)",
        "x without dimensions of length 1",
        "print size(squeeze(ones(2,1,3)))",
        1..=1,
        Run::One(squeeze)
    ),
];
