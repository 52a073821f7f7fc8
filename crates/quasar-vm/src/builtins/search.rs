//! Searching and counting: positions, histograms, products of lists.

use super::Call;
use super::along::{self, Axis, with_reals};
use super::array::gather;
use super::peaks;
use crate::arith::{Kind, to_c64};
use crate::bulk::{CHUNK, LONG};
use crate::fault::{Fault, Res, fault};
use crate::tensor::{Data, Shape, Tensor};
use crate::value::Value;
use quadra_quasar_hir::op2::Op2;
use rayon::prelude::*;
use smallvec::SmallVec;
use std::rc::Rc;

/// `find(x[,n])`: the positions of the first n elements that are not 0, or of the last with "last"; for several results one list
/// for each dimension, and one of the elements if that is one more.
pub(super) fn find(call: &mut Call) -> Res<Vec<Value>> {
    let t = call.tensor(0)?;
    let mut hits: Vec<usize> = {
        let data = t.data.borrow();
        match data.is_complex() {
            true => to_c64(&data).iter().enumerate().filter(|(_, z)| **z != [0.0, 0.0]).map(|(i, _)| i).collect(),
            false => with_reals!(&data, v => along::places(v)),
        }
    };
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
        let place = |d: usize| {
            let (stride, n) = (stride(d), t.shape[d]);
            Tensor::vector(Data::Int(hits.iter().map(|i| (i / stride % n) as i32).collect()))
        };
        let mut lists: Vec<Value> = (0..rank).map(|d| Value::array(place(d))).collect();
        lists.push(Value::array(gather(&t, SmallVec::from_slice(&[1, hits.len()]), hits.iter().copied())));
        return Ok(lists);
    }
    let mut out: Vec<i32> = Vec::with_capacity(hits.len() * rank);
    let (last, mut row, mut position) = (t.shape[rank - 1], usize::MAX, vec![0i32; rank]);
    for i in hits.iter().copied() {
        // The position changes in its last component alone as long as the row is the same.
        if i / last != row {
            row = i / last;
            let mut rest = row;
            for d in (0..rank - 1).rev() {
                position[d] = (rest % t.shape[d]) as i32;
                rest /= t.shape[d];
            }
        }
        position[rank - 1] = (i - row * last) as i32;
        out.extend_from_slice(&position);
    }
    let shape: Shape =
        if hits.is_empty() { SmallVec::from_slice(&[0, 0]) } else { SmallVec::from_slice(&[hits.len(), rank]) };
    Ok(vec![Value::array(Tensor::new(shape, Data::Int(out)))])
}

/// The counts of values in `n` bins, each value's number given by `bin`.
pub(super) fn counts<T: Sync>(v: &[T], n: usize, bin: impl Fn(&T) -> Option<usize> + Sync) -> Vec<i64> {
    let part = |v: &[T]| {
        let mut bins = vec![0i64; n];
        v.iter().filter_map(&bin).for_each(|k| bins[k] += 1);
        bins
    };
    // Bins of its own for each thread.
    if v.len() < LONG || n > CHUNK {
        return part(v);
    }
    let parts = v.par_chunks(v.len().div_ceil(rayon::current_num_threads()).max(CHUNK)).map(part);
    parts.reduce(
        || vec![0; n],
        |mut a, b| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
            a
        },
    )
}

pub(super) fn hist(call: &mut Call) -> Res<Value> {
    let (t, n) = (call.tensor(0)?, call.integer(1)?);
    let n = usize::try_from(n)
        .ok()
        .filter(|n| *n > 0 && *n < 1 << 24)
        .ok_or_else(|| call.wrong(1, "a number of bins from 1"))?;
    let data = t.data.borrow();
    let bins = with_reals!(&data, v => {
        let (low, high) = match v.len() {
            0 => (f64::INFINITY, f64::NEG_INFINITY),
            len => {
                let whole = Axis::whole(len);
                let at = |greatest: bool| number(v[peaks::best(v, whole, greatest)[0]]);
                let (low, high) = (at(false), at(true));
                if low.is_nan() { (f64::INFINITY, f64::NEG_INFINITY) } else { (low, high) }
            }
        };
        counts(v, n, |x| {
            let k = if high > low { ((number(*x) - low) / (high - low) * n as f64) as usize } else { 0 };
            Some(k.min(n - 1))
        })
    });
    Ok(Value::array(Tensor::ints(bins)))
}

fn number<T: along::Number>(x: T) -> f64 {
    x.real()
}

pub(super) fn dotprod(call: &mut Call) -> Res<Value> {
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
    let total: f64 = with_reals!(&x, x => with_reals!(&y, y => along::dot(x, y)));
    if kind.is_int() {
        return Ok(i32::try_from(total as i64).map_or(Value::scalar(total, call.double()), Value::Int));
    }
    Ok(Value::scalar(total, kind == Kind::F64))
}
