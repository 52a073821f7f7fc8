//! Slices, masks and lists of positions of long arrays, without a list of all places.

use super::storage::{self, CHUNK};
use super::strided::Walk;
use super::tensor::{Data, Shape, Tensor, normal_shape};
use super::value::Value;
use quadra_numeric::threads;
use smallvec::SmallVec;
use std::ops::Range;

/// What one index takes along its dimension: start, step, count, and whether the result keeps the dimension.
type Along = (usize, isize, usize, bool);

fn along(index: &Value, n: usize) -> Option<Along> {
    match index {
        Value::Colon => Some((0, 1, n, true)),
        Value::Range(r) => {
            let whole = r.start.fract() == 0.0 && r.step.fract() == 0.0;
            let (count, last) = (r.count, r.start + r.step * r.count.saturating_sub(1) as f64);
            let inside = |x: f64| x >= 0.0 && x < n as f64;
            (whole && count > 0 && inside(r.start) && inside(last)).then_some((
                r.start as usize,
                r.step as isize,
                count,
                true,
            ))
        }
        Value::Int(_) | Value::F32(_) | Value::F64(_) => {
            let i = usize::try_from(index.as_index()?).ok().filter(|i| *i < n)?;
            Some((i, 1, 1, false))
        }
        _ => None,
    }
}

/// Whether the array is one column of several elements. A range that stands alone in the brackets selects among them, as in a
/// vector, and gives a column; in other matrices it is a position.
pub fn is_column(t: &Tensor) -> bool {
    t.shape.len() == 2 && t.shape[1] == 1 && t.shape[0] > 1
}

/// The order in which a slice takes the elements of `t`, and its shape; nothing if an index is a list or may lie outside.
pub fn of(t: &Tensor, indices: &[Value]) -> Option<(Walk, Shape)> {
    if let [index] = indices {
        let whole = matches!(index, Value::Colon);
        let range = matches!(index, Value::Range(_));
        let column = range && is_column(t);
        if !(whole || column || range && t.is_vector()) {
            return None;
        }
        let (start, step, count, _) = along(index, t.len())?;
        let shape = if column { [count, 1] } else { [1, count] };
        return Some((Walk::new(start, [(count, step)]), SmallVec::from_slice(&shape)));
    }
    let rank = t.shape.len();
    if indices.len() < rank {
        return None;
    }
    let (mut start, mut dims, mut kept) =
        (0, SmallVec::<[(usize, isize); 4]>::new(), SmallVec::<[(usize, usize); 4]>::new());
    let mut stride = 1usize;
    for (d, index) in indices.iter().enumerate().rev() {
        let n = t.shape.get(d).copied().unwrap_or(1);
        let (from, step, count, keeps) = along(index, n)?;
        start += from * stride;
        dims.push((count, step * stride as isize));
        if keeps {
            kept.push((d, count));
        }
        stride *= n;
    }
    dims.reverse();
    kept.reverse();
    let shape: Shape = match kept[..] {
        [] => return None,
        [(0, len)] => SmallVec::from_slice(&[len, 1]),
        [(_, len)] => SmallVec::from_slice(&[1, len]),
        _ => normal_shape(&kept.iter().map(|k| k.1).collect::<Vec<_>>()),
    };
    Some((Walk::new(start, dims), shape))
}

/// `t[indices]`, if it is a slice of what is no mask.
pub fn read(t: &Tensor, indices: &[Value]) -> Option<Value> {
    if matches!(*t.data.peek(), Data::Mask(_)) {
        return None;
    }
    if let [Value::Array(index)] = indices {
        return by_list(t, index, &indices[0]);
    }
    let (walk, shape) = of(t, indices)?;
    if !super::memory::fits(walk.count().saturating_mul(16)) {
        return None;
    }
    Some(Value::array(walk.take(t, shape)))
}

/// `t[mask]`, or the elements of a vector at a list of positions that all lie inside.
fn by_list(t: &Tensor, index: &Tensor, given: &Value) -> Option<Value> {
    let places = index.data.borrow();
    let data = t.data.borrow();
    macro_rules! pick {
        ($v:expr) => {
            match &*places {
                Data::Mask(m) if index.shape == t.shape => Some(masked($v, m)),
                Data::Mask(m) if t.is_vector() && m.len() == t.len() && m.len() > 1 => Some(masked($v, m)),
                Data::Int(list) if t.is_vector() => listed($v, list, |i| i64::from(*i)),
                Data::F32(list) if t.is_vector() => listed($v, list, |i| *i as i64),
                _ => None,
            }
        };
    }
    let out = match &*data {
        Data::F32(v) => Data::F32(pick!(v)?),
        Data::F64(v) => Data::F64(pick!(v)?),
        Data::Int(v) => Data::Int(pick!(v)?),
        Data::C32(v) => Data::C32(pick!(v)?),
        _ => return None,
    };
    let shape = match *places {
        Data::Mask(_) => SmallVec::from_slice(&[1, out.len()]),
        _ => super::index::shape_of_list(given, out.len()),
    };
    Some(Value::array(Tensor::new(shape, out).with_fit(t.fit)))
}

/// The elements where the mask is set.
fn masked<T: Copy + Default + Send + Sync>(v: &[T], mask: &[u8]) -> Vec<T> {
    let part = |range: Range<usize>| {
        let mut out = vec![T::default(); range.len() + 1];
        let mut n = 0;
        for (x, m) in v[range.clone()].iter().zip(&mask[range]) {
            // Written always, kept if it counts.
            out[n] = *x;
            n += usize::from(*m != 0);
        }
        out.truncate(n);
        out
    };
    threads::lists(v.len(), storage::turn(v.len()), &part)
}

/// The elements at positions; nothing if one lies outside.
fn listed<T: storage::Kept, I: Sync>(v: &[T], list: &[I], at: impl Fn(&I) -> i64 + Sync) -> Option<Vec<T>> {
    let n = v.len() as u64;
    // A negative position is a large unsigned one.
    let inside = |part: &[I]| part.iter().fold(true, |all, i| all & ((at(i) as u64) < n));
    if !list.chunks(CHUNK).all(inside) {
        return None;
    }
    Some(storage::build(list.len(), |range, out: &mut [T]| {
        out.iter_mut().zip(&list[range]).for_each(|(o, i)| *o = v[at(i) as usize]);
    }))
}

/// `t[indices] = value`, if it is quick: a slice of elements of the same type, or a number for floats. Says whether it was.
pub fn write(t: &Tensor, indices: &[Value], value: &Value) -> bool {
    if let ([Value::Array(index)], Some(x)) = (indices, number(value)) {
        return fill_masked(t, index, x);
    }
    if indices.iter().all(|i| i.as_index().is_some()) {
        return false;
    }
    let Some((walk, shape)) = of(t, indices) else { return false };
    match value {
        Value::Array(source) => {
            let squeezed = |s: &[usize]| s.iter().copied().filter(|n| *n != 1).collect::<Vec<_>>();
            if squeezed(&source.shape) != squeezed(&shape) || std::ptr::eq(&**source, t) {
                return false;
            }
            let from = source.data.borrow();
            // Integers of a fixed size are fitted one by one.
            if t.fit != source.fit {
                return false;
            }
            walk.put(&mut t.data.borrow_mut(), &from)
        }
        value => number(value).is_some_and(|x| walk.fill(&mut t.data.borrow_mut(), x)),
    }
}

fn number(v: &Value) -> Option<f64> {
    match v {
        Value::Int(x) => Some(f64::from(*x)),
        Value::F32(x) => Some(f64::from(*x)),
        Value::F64(x) => Some(*x),
        _ => None,
    }
}

fn fill_masked(t: &Tensor, index: &Tensor, x: f64) -> bool {
    let mask = index.data.borrow();
    let Data::Mask(mask) = &*mask else { return false };
    if index.shape != t.shape || std::ptr::eq(index, t) {
        return false;
    }
    macro_rules! fill {
        ($v:expr, $x:expr) => {
            storage::each_part($v, |range, own| {
                own.iter_mut().zip(&mask[range]).for_each(|(o, m)| *o = if *m != 0 { $x } else { *o });
            })
        };
    }
    match &mut *t.data.borrow_mut() {
        Data::F32(v) => fill!(v, x as f32),
        Data::F64(v) => fill!(v, x),
        _ => return false,
    }
    true
}
