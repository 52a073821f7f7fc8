//! Searching and counting: positions, histograms, products of lists.

use super::Call;
use super::along::{self, Axis, Number, Reals, in_chunks, reals, with_reals};
use super::array::gather;
use super::extreme::best;
use crate::arith::{Kind, to_c64, to_f64};
use crate::fault::{Fault, Res, fault};
use crate::storage::{CHUNK, LONG};
use crate::tensor::{Data, Shape, Tensor};
use crate::value::Value;
use quadra_numeric::threads;
use quadra_numeric::wide::{self, Job};
use quadra_quasar_hir::op2::Op2;
use smallvec::SmallVec;
use std::ops::{AddAssign, Range};
use std::rc::Rc;

/// The positions of all elements of a real matrix that are not 0.
fn every_place(t: &Tensor) -> Option<Value> {
    let data = t.data.borrow();
    let &[_, last] = &t.shape[..] else { return None };
    if data.is_complex() || i32::try_from(t.len()).is_err() {
        return None;
    }
    let places = with_reals!(&data, v => places_of(v, |from, places, out: &mut [[i32; 2]]| {
        // Rows follow each other, so that one division is enough for each part.
        let (mut row, mut start) = (from / last, from / last * last);
        for (o, i) in out.iter_mut().zip(places) {
            let i = from + *i as usize;
            while i >= start + last {
                (row, start) = (row + 1, start + last);
            }
            *o = [row as i32, (i - start) as i32];
        }
    }));
    let shape = if places.is_empty() { [0, 0] } else { [places.len(), 2] };
    Some(Value::array(Tensor::found(Shape::from_slice(&shape), Data::Int(places.into_flattened()))))
}

/// `find(x[,n])`: the positions of the first n elements that are not 0, or of the last with "last"; for several results one list
/// for each dimension, and one of the elements if that is one more.
pub(super) fn find(call: &mut Call) -> Res<Vec<Value>> {
    let t = call.tensor(0)?;
    if call.args.len() == 1
        && call.outs < 2
        && let Some(found) = every_place(&t)
    {
        return Ok(vec![found]);
    }
    let mut hits: Vec<usize> = {
        let data = t.data.borrow();
        match data.is_complex() {
            true => to_c64(&data).iter().enumerate().filter(|(_, z)| **z != [0.0, 0.0]).map(|(i, _)| i).collect(),
            false => with_reals!(&data, v => places(v)),
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
    Ok(vec![Value::array(Tensor::found(shape, Data::Int(out)))])
}

/// The counts of values in `n` bins, each value's number given by `bin`.
pub(super) fn counts<T: Sync>(v: &[T], n: usize, bin: impl Fn(&T) -> Option<usize> + Sync) -> Vec<i64> {
    tallies(v.len(), n, &|range, bins| v[range].iter().filter_map(&bin).for_each(|k| bins[k] += 1))
}

/// What `add` adds to `bins` tallies for all of `0..n`, by several threads where that pays.
pub(super) fn tallies<N: Copy + Default + AddAssign + Send>(
    n: usize,
    bins: usize,
    add: &(dyn Fn(Range<usize>, &mut [N]) + Sync),
) -> Vec<N> {
    threads::tallies(n, bins, if bins > CHUNK { usize::MAX } else { LONG }, add)
}

/// `hist(x,centres)`: how many values are nearest to each of the ascending centres, the lower one of two; and the centres.
fn hist_at(call: &Call, centres: &[f64]) -> Res<Vec<Value>> {
    if !centres.windows(2).all(|w| w[0] < w[1]) {
        return Err(call.wrong(1, "a number of bins, or their centres in ascending order"));
    }
    let edges: Vec<f64> = centres.windows(2).map(|w| f64::midpoint(w[0], w[1])).collect();
    let t = call.tensor(0)?;
    let data = t.data.borrow();
    let bins = with_reals!(&data, v => counts(v, centres.len(), |x| {
        let x = number(*x);
        (!x.is_nan()).then(|| edges.partition_point(|edge| *edge < x))
    }));
    Ok(vec![Value::array(Tensor::ints(bins)), Value::array(Tensor::scalars(centres.to_vec(), call.double()))])
}

/// `[counts,centres] = hist(x,n)`, by default of ten intervals.
pub(super) fn hist(call: &mut Call) -> Res<Vec<Value>> {
    if matches!(call.args.get(1), Some(Value::Array(t)) if t.len() > 1) {
        return hist_at(call, &call.list(1)?);
    }
    let (t, n) = (call.tensor(0)?, if call.args.len() > 1 { call.integer(1)? } else { 10 });
    let n = usize::try_from(n)
        .ok()
        .filter(|n| *n > 0 && *n < 1 << 24)
        .ok_or_else(|| call.wrong(1, "a number of bins from 1"))?;
    let data = t.data.borrow();
    let (bins, low, high) = with_reals!(&data, v => {
        let (low, high) = match v.len() {
            0 => (f64::INFINITY, f64::NEG_INFINITY),
            len => {
                let whole = Axis::whole(len);
                let at = |greatest: bool| number(v[best(v, whole, greatest)[0]]);
                let (low, high) = (at(false), at(true));
                if low.is_nan() { (f64::INFINITY, f64::NEG_INFINITY) } else { (low, high) }
            }
        };
        let bins = counts(v, n, |x| {
            let k = if high > low { ((number(*x) - low) / (high - low) * n as f64) as usize } else { 0 };
            Some(k.min(n - 1))
        });
        (bins, low, high)
    });
    let width = (high - low).max(0.0) / n as f64;
    let centre = |k: usize| if low.is_finite() { low + (k as f64 + 0.5) * width } else { f64::NAN };
    let centres = Tensor::scalars((0..n).map(centre).collect(), call.double());
    Ok(vec![Value::array(Tensor::ints(bins)), Value::array(centres)])
}

pub(super) fn number<T: Number>(x: T) -> f64 {
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
    let total = match (reals(&x), reals(&y)) {
        (Reals::Single(x), Reals::Single(y)) => along::dot(x, y),
        (Reals::Int(x), Reals::Int(y)) => along::dot(x, y),
        _ => along::dot(&to_f64(&x), &to_f64(&y)),
    };
    if kind.is_int() {
        return Ok(i32::try_from(total as i64).map_or(Value::scalar(total, call.double()), Value::Int));
    }
    Ok(Value::scalar(total, kind == Kind::F64))
}

/// How many elements are not 0.
pub fn count<T: Number>(v: &[T]) -> usize {
    counts_in_chunks(v).into_iter().sum()
}

fn counts_in_chunks<T: Number>(v: &[T]) -> Vec<usize> {
    in_chunks(v.len(), &|range| wide::run(Count(&v[range])))
}

struct Count<'a, T>(&'a [T]);

impl<T: Number> Job for Count<'_, T> {
    type Output = usize;

    #[inline(always)]
    fn call(self) -> usize {
        // Sums of few stay within a byte.
        self.0.chunks(255).map(|p| usize::from(p.iter().map(|x| u8::from(x.is_set())).sum::<u8>())).sum()
    }
}

/// What `put` makes of the places of the elements that are not 0: it takes where a part of the elements begins, the places in that
/// part, and as many results.
pub fn places_of<T: Number, O: Copy + Default + Send>(v: &[T], put: impl Fn(usize, &[u32], &mut [O]) + Sync) -> Vec<O> {
    let counts = counts_in_chunks(v);
    let mut out = vec![O::default(); counts.iter().sum()];
    let (mut parts, mut rest) = (Vec::new(), &mut out[..]);
    for (k, n) in counts.into_iter().enumerate() {
        let (part, others) = rest.split_at_mut(n);
        parts.push((k * CHUNK, part));
        rest = others;
    }
    let part = |places: &mut Vec<u32>, (from, out): (usize, &mut [O])| {
        let part = &v[from..(from + CHUNK).min(v.len())];
        places.resize(part.len() + 1, 0);
        let mut n = 0;
        for (i, x) in part.iter().enumerate() {
            // Written always, kept if it counts.
            places[n] = i as u32;
            n += usize::from(x.is_set());
        }
        put(from, &places[..n], out);
    };
    let at_a_time = if v.len() < LONG { parts.len() } else { 1 };
    threads::groups(parts, at_a_time, &|parts| {
        let mut places = Vec::new();
        parts.for_each(|p| part(&mut places, p));
    });
    out
}

/// The places of the elements that are not 0.
pub fn places<T: Number>(v: &[T]) -> Vec<usize> {
    places_of(v, |from, places, out: &mut [usize]| {
        out.iter_mut().zip(places).for_each(|(o, i)| *o = from + *i as usize);
    })
}
