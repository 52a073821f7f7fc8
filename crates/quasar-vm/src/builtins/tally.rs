//! Sums by index, rows in order, and counts between edges.

use super::along::{Axis, with_reals};
use super::array::gather;
use super::{Builtin, Call, Run, extreme, numbers, row, search};
use crate::arith::to_f64;
use crate::bulk;
use crate::fault::{Res, fault};
use crate::tensor::{Data, Shape, Tensor, normal_shape, real_data};
use crate::value::Value;
use std::cmp::Ordering;

/// Sums of many singles by integers from 0, each in double precision; nothing for other elements and numbers.
fn sums_by_number(call: &Call, at: &Tensor, values: &Tensor) -> Option<Value> {
    let (at, values) = (at.is_vector().then(|| at.data.borrow())?, values.data.borrow());
    let (Data::Int(at), Data::F32(v)) = (&*at, &*values) else { return None };
    if call.args.len() > 2 || at.len() != v.len() || at.is_empty() {
        return None;
    }
    let bins = usize::try_from(extreme::peaks(at, Axis::whole(at.len()), true)[0]).ok()? + 1;
    // Longer sums than memory is worth looking at twice have the general way.
    if bins > at.len().max(1024) || !bulk::all(at, |p| p >= 0) {
        return None;
    }
    let sums = search::tallies(at.len(), bins, &|range, sums: &mut [f64]| {
        at[range.clone()].iter().zip(&v[range]).for_each(|(p, x)| sums[*p as usize] += f64::from(*x));
    });
    Some(Value::array(Tensor::vector(real_data(sums, call.double()))))
}

/// How many subscripts a position has: one in a vector, else as many as a row of the matrix of positions.
fn subscripts(subs: &Tensor) -> Res<usize> {
    if subs.is_vector() || subs.shape[1] == 1 {
        return Ok(1);
    }
    if subs.shape[1] == 0 {
        fault!("Q0314", "'accumarray' with positions without a subscript"; "a row of the positions has one number per dimension");
    }
    Ok(subs.shape[1])
}

/// `accumarray(at,values[,size],f)`: what a function makes of the values that belong to the same position, 0 where there are none.
fn gathered(call: &mut Call) -> Res<Value> {
    let (f, args) = (call.args[call.args.len() - 1].clone(), &call.args[..call.args.len() - 1]);
    let values = call.list(1)?;
    // The sums of the numbers of values count them, and find what is wrong with the positions.
    let ones = Value::array(Tensor::vector(Data::F64(vec![1.0; values.len()])));
    let mut counted: Vec<Value> = args.to_vec();
    counted[1] = ones;
    let counts = accumarray(&mut call.with(&counted))?;
    let Value::Array(counts) = counts else { return Ok(counts) };
    let (subs, shape) = (call.tensor(0)?, counts.shape.clone());
    let positions = to_f64(&subs.data.borrow()).into_owned();
    let rank = subscripts(&subs)?;
    let mut groups: Vec<Vec<f64>> = vec![Vec::new(); counts.len()];
    for (at, x) in positions.chunks(rank).zip(&values) {
        let dims = if rank == 1 { &[0][..] } else { &shape[..] };
        groups[at.iter().zip(dims).fold(0, |k, (p, n)| k * n + *p as usize)].push(*x);
    }
    let mut out = vec![0.0; groups.len()];
    for (group, out) in groups.into_iter().zip(&mut out).filter(|(g, _)| !g.is_empty()) {
        let group = Value::array(Tensor::vector(real_data(group, call.double())));
        let result = call.cx.call(&f, vec![group], 1)?.into_iter().next().unwrap_or_default();
        let Some(x) = result.as_f64() else {
            fault!("Q0314", "the function of 'accumarray' gives no number"; "it gets a vector, and gives a number");
        };
        *out = x;
    }
    Ok(Value::array(Tensor::new(shape, real_data(out, call.double()))))
}

/// Sums of values by index: positions in the rows of argument 0, or numbers in a vector.
fn accumarray(call: &mut Call) -> Res<Value> {
    if matches!(call.args.last(), Some(Value::Function(_))) {
        return gathered(call);
    }
    let (subs, values) = (call.tensor(0)?, call.tensor(1)?);
    if let Some(out) = sums_by_number(call, &subs, &values) {
        return Ok(out);
    }
    let (positions, values) = (to_f64(&subs.data.borrow()).into_owned(), to_f64(&values.data.borrow()).into_owned());
    let rank = subscripts(&subs)?;
    let n = positions.len() / rank;
    if values.len() != n && values.len() != 1 {
        fault!("Q0320", "'accumarray' with {n} positions and {} values", values.len(); "give one value per position, or one for all");
    }
    if let Some(bad) = positions.iter().find(|p| **p < 0.0 || **p != p.floor() || **p > 1e9) {
        fault!("Q0314", "'accumarray' at position {}", crate::display::real(*bad); "positions are whole numbers from 0");
    }
    let shape = match call.args.get(2) {
        Some(size) if !matches!(size, Value::Array(t) if t.is_empty()) => {
            super::array::shape_from(&call.args[2..], "the result")?
        }
        // Positions in a column give one.
        _ if rank == 1 && subs.shape[..] == [n, 1] && n > 1 => {
            Shape::from_slice(&[positions.iter().fold(0, |most, p| most.max(*p as usize + 1)), 1])
        }
        _ => {
            let most = |d: usize| (0..n).map(|i| positions[i * rank + d] as usize + 1).max().unwrap_or(0);
            normal_shape(&if rank == 1 { vec![1, most(0)] } else { (0..rank).map(most).collect::<Vec<_>>() })
        }
    };
    let out = Tensor::zeros(shape, &quadra_quasar_hir::types::Type::SCALAR, true)?;
    if rank == 1 && positions.iter().fold(true, |all, p| all & ((*p as usize) < out.len())) {
        let mut sums = vec![0.0; out.len()];
        match values[..] {
            [x] => positions.iter().for_each(|p| sums[*p as usize] += x),
            _ => positions.iter().zip(&values).for_each(|(p, x)| sums[*p as usize] += x),
        }
        return Ok(Value::array(Tensor::new(out.shape.clone(), real_data(sums, call.double()))));
    }
    let dims: &[usize] = if rank == 1 { &[0] } else { &out.shape };
    let mut sums = vec![0.0; out.len()];
    for i in 0..n {
        let at = &positions[i * rank..(i + 1) * rank];
        let inside = rank == 1 || (rank == dims.len() && at.iter().zip(dims).all(|(p, n)| (*p as usize) < *n));
        let k = at.iter().zip(dims).fold(0, |k, (p, n)| k * n + *p as usize);
        match sums.get_mut(k).filter(|_| inside) {
            Some(sum) => *sum += values[if values.len() == 1 { 0 } else { i }],
            None => {
                let size = crate::display::shape_text(&out.shape);
                fault!("Q0314", "'accumarray' at a position outside of size {size}"; "give a greater size as argument 3")
            }
        }
    }
    Ok(Value::array(Tensor::new(out.shape.clone(), real_data(sums, call.double()))))
}

/// `[y,i] = sortrows(A[,columns])`; a column from 0 up, ascending, -1-k for column k descending.
fn sortrows(call: &mut Call) -> Res<Vec<Value>> {
    let t = call.tensor(0)?;
    if t.shape.len() > 2 || t.data.borrow().is_complex() {
        return Err(call.wrong(0, "a real matrix"));
    }
    let (m, n) = (t.shape[0], t.shape[1]);
    let columns: Vec<i64> = match call.args.get(1) {
        Some(_) => call.list(1)?.into_iter().map(|c| c as i64).collect(),
        None => (0..n as i64).collect(),
    };
    if let Some(bad) = columns.iter().find(|c| **c >= n as i64 || **c < -(n as i64)) {
        fault!("Q0314", "'sortrows' by column {bad} of a matrix with {n} columns"; "columns count from 0, -1-k sorts column k in descending order");
    }
    let values = to_f64(&t.data.borrow()).into_owned();
    let mut order: Vec<usize> = (0..m).collect();
    order.sort_by(|a, b| {
        let by = |c: &i64| {
            let k = if *c < 0 { -1 - c } else { *c } as usize;
            let found = values[a * n + k].total_cmp(&values[b * n + k]);
            if *c < 0 { found.reverse() } else { found }
        };
        columns.iter().map(by).find(|o| *o != Ordering::Equal).unwrap_or(Ordering::Equal)
    });
    let sorted = gather(&t, t.shape.clone(), order.iter().flat_map(|r| r * n..(r + 1) * n));
    Ok(vec![Value::array(sorted), Value::array(Tensor::ints(order.iter().map(|i| *i as i64)))])
}

/// How many values lie in `edges[k] <= x < edges[k+1]`; the last counts values equal to the last edge.
fn histc(call: &mut Call) -> Res<Value> {
    let (values, edges) = (call.tensor(0)?, call.list(1)?);
    if edges.is_empty() || !edges.is_sorted() {
        fault!("Q0314", "'histc' needs ascending edges"; "histc(x, [0,1,2])");
    }
    let (first, last) = (edges[0], edges[edges.len() - 1]);
    let inside = |x: f64| x >= first && x <= last;
    let places = numbers::Places::new(&edges);
    let data = values.data.borrow();
    if data.is_complex() {
        return Err(call.wrong(0, "real numbers"));
    }
    let counts = with_reals!(&data, v => search::counts(v, edges.len(), |x| {
        let x = search::number(*x);
        inside(x).then(|| places.up_to(x) - 1)
    }));
    Ok(Value::array(Tensor::ints(counts)))
}

pub const TABLE: &[Builtin] = &[
    row!(
        "accumarray",
        "accumarray(at,values[,size][,f])",
        "sums of the values that belong to the same position, or what f gives for them; positions are numbers or the rows of a matrix",
        "print accumarray([0,2,0],[1,2,3])",
        2..=18,
        Run::One(accumarray)
    ),
    row!(
        "sortrows",
        "sortrows(A[,columns]), [y,i]=sortrows(A)",
        "rows ordered by their elements, or by some columns; -1-k orders column k descending",
        "print sortrows([[2,1],[1,2]])",
        1..=2,
        Run::Many(sortrows)
    ),
    row!(
        "histc",
        "histc(x,edges)",
        "how many values lie from each edge to below the next; the last counts those equal to the last edge",
        "print histc([1,2,2,3],[1,2,3])",
        2..=2,
        Run::One(histc)
    ),
];
