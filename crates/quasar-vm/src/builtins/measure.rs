//! Sizes of arrays, and positions in them.

use super::{Builtin, Call, Run, row};
use crate::fault::Res;
use crate::tensor::Tensor;
use crate::value::Value;
use quadra_quasar_hir::meaning::{Meaning, Measure};

/// The length of a dimension; a string or a number is one element.
fn length(v: &Value, dim: usize) -> usize {
    match v {
        Value::Array(t) => t.shape.get(dim).copied().unwrap_or(1),
        _ => 1,
    }
}

fn size(call: &mut Call) -> Res<Vec<Value>> {
    let v = &call.args[0];
    let scalar_ok = v.is_number() || matches!(v, Value::Array(_)) || matches!(v, Value::Object(o) if !o.keyed);
    if !scalar_ok {
        return Err(call.wrong(0, "an array"));
    }
    if let Some(k) = call.args.get(1) {
        if k.is_number() {
            let k = call.integer(1)?;
            let k = usize::try_from(k).map_err(|_| call.wrong(1, "a dimension from 0"))?;
            return Ok(vec![Value::size(length(v, k))]);
        }
        let dims = call.list(1)?;
        let lengths: Vec<i64> = dims.iter().map(|k| length(v, *k as usize) as i64).collect();
        return Ok(spread(lengths, call.outs));
    }
    let mut lengths: Vec<i64> = match v {
        Value::Array(t) => t.shape.iter().map(|n| *n as i64).collect(),
        _ => vec![1, 1],
    };
    if call.outs > 1 {
        lengths.resize(call.outs, 1);
    }
    Ok(spread(lengths, call.outs))
}

/// One vector, or as many numbers as targets are there.
fn spread(lengths: Vec<i64>, outs: usize) -> Vec<Value> {
    if outs > 1 {
        return lengths.into_iter().map(|n| Value::size(n as usize)).collect();
    }
    vec![Value::array(Tensor::ints(lengths))]
}

fn numel(call: &mut Call) -> Res<Value> {
    Ok(match &call.args[0] {
        Value::Array(t) => Value::size(t.len()),
        Value::Str(s) => Value::size(s.chars().count()),
        // An object is one element, as MATLAB's structs are.
        v if v.is_number() || matches!(v, Value::Object(o) if !o.keyed) => Value::Int(1),
        _ => return Err(call.wrong(0, "an array")),
    })
}

fn ndims(call: &mut Call) -> Res<Value> {
    Ok(match &call.args[0] {
        Value::Array(t) => Value::size(t.rank()),
        v if v.is_number() => Value::Int(0),
        _ => return Err(call.wrong(0, "an array")),
    })
}

fn ind2pos(call: &mut Call) -> Res<Value> {
    let (sizes, mut i) = (call.list(0)?, call.integer(1)?);
    let sizes: Vec<i64> = sizes.iter().map(|n| *n as i64).collect();
    let dims: &[i64] = match &sizes[..] {
        [1, rest] => std::slice::from_ref(rest),
        all => all,
    };
    let mut position = vec![0i64; dims.len()];
    for d in (0..dims.len()).rev() {
        let n = dims[d].max(1);
        position[d] = if d == 0 { i } else { i.rem_euclid(n) };
        i = i.div_euclid(n);
    }
    Ok(Value::array(Tensor::ints(position)))
}

fn pos2ind(call: &mut Call) -> Res<Value> {
    let (sizes, position) = (call.list(0)?, call.list(1)?);
    let dims: &[f64] = match &sizes[..] {
        [one, rest] if *one == 1.0 && position.len() == 1 => std::slice::from_ref(rest),
        all => all,
    };
    let mut i = 0i64;
    for (d, n) in dims.iter().enumerate() {
        i = i.wrapping_mul(*n as i64).wrapping_add(position.get(d).copied().unwrap_or(0.0) as i64);
    }
    Ok(Value::size(i.max(0) as usize))
}

pub const TABLE: &[Builtin] = &[
    row!(
        "size",
        "size(x[,k])",
        "lengths of the dimensions, or of some of them",
        "print size(ones(2,3))",
        1..=2,
        Run::Many(size)
    )
    .means(Meaning::Measure(Measure::Lengths))
    .frugal(),
    row!("numel", "numel(x)", "number of elements", "print numel(ones(2,3))", 1..=1, Run::One(numel))
        .means(Meaning::Measure(Measure::Elements))
        .frugal(),
    row!(
        "ndims",
        "ndims(x)",
        "number of dimensions: 1 for vectors, 0 for numbers",
        "print ndims(eye(2))",
        1..=1,
        Run::One(ndims)
    )
    .means(Meaning::Measure(Measure::Dimensions))
    .frugal(),
    row!(
        "ind2pos",
        "ind2pos(sz,i)",
        "position of a row-major index",
        "print ind2pos([3,4,5],37)",
        2..=2,
        Run::One(ind2pos)
    )
    .means(Meaning::PositionOfNumber),
    row!(
        "pos2ind",
        "pos2ind(sz,p)",
        "row-major index of a position",
        "print pos2ind([3,4,5],[1,3,2])",
        2..=2,
        Run::One(pos2ind)
    )
    .means(Meaning::NumberOfPosition),
];
