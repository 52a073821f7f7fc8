//! Sets of numbers in arrays, by keys that compare as the numbers do: zeros of both signs have one, every NaN has the greatest.

use super::Call;
use super::array::gather;
use crate::bulk;
use crate::storage;
use crate::tensor::{Data, Shape, Tensor};
use crate::value::Value;
use quadra_numeric::order::{self, Key};
use std::rc::Rc;

/// The keys of several arrays, which can be compared with each other.
enum Lists {
    Single(Vec<Vec<u32>>),
    Double(Vec<Vec<u64>>),
}

fn lists(data: &[&Data]) -> Lists {
    let all = |f: fn(&Data) -> bool| data.iter().all(|d| f(d));
    if all(|d| matches!(d, Data::F32(_) | Data::F16(_))) {
        let of = |x: &f32| if x.is_nan() { u32::MAX } else { order::of_single(*x + 0.0) };
        let list =
            |d: &&Data| if let Data::F32(v) | Data::F16(v) = d { v.iter().map(of).collect() } else { Vec::new() };
        return Lists::Single(data.iter().map(list).collect());
    }
    if all(|d| matches!(d, Data::Int(_) | Data::I32(_))) {
        // Below the key of what is no number: integers have none, and the greatest is left to doubles.
        let list = |d: &&Data| match d {
            Data::Int(v) | Data::I32(v) => v.iter().map(|x| (*x as u32) ^ 0x8000_0000).collect(),
            _ => Vec::new(),
        };
        let lists: Vec<Vec<u32>> = data.iter().map(list).collect();
        if lists.iter().all(|l| !l.contains(&u32::MAX)) {
            return Lists::Single(lists);
        }
    }
    let of = |x: &f64| if x.is_nan() { u64::MAX } else { order::of_double(*x + 0.0) };
    Lists::Double(data.iter().map(|d| crate::arith::to_f64(d).iter().map(of).collect()).collect())
}

/// The different keys in ascending order, and where each stands first. Those of NaN are all kept.
struct Distinct<K> {
    keys: Vec<K>,
    at: Vec<u32>,
}

fn distinct<K: Key>(keys: &[K], nan: K) -> Distinct<K> {
    let mut at = order::ranks(keys);
    at.dedup_by(|a, b| keys[*a as usize] == keys[*b as usize] && keys[*b as usize] != nan);
    Distinct { keys: at.iter().map(|i| keys[*i as usize]).collect(), at }
}

/// The array in an argument, if it holds real numbers.
fn array(call: &Call, i: usize) -> Option<Rc<Tensor>> {
    match &call.args[i] {
        Value::Array(t) if !t.is_cell() && !t.data.borrow().is_complex() => Some(t.clone()),
        _ => None,
    }
}

fn take(t: &Tensor, at: &[u32]) -> Value {
    Value::array(gather(t, Shape::from_slice(&[1, at.len()]), at.iter().map(|i| *i as usize)))
}

fn indices(at: &[u32]) -> Value {
    Value::array(Tensor::vector(Data::Int(at.iter().map(|i| *i as i32).collect())))
}

/// The different values alone, as keys of singles: of singles without a NaN or a negative zero, which would have to be looked for,
/// and of integers that singles hold.
fn plain(t: &Tensor) -> Option<Vec<u32>> {
    let keys = match &*t.data.borrow() {
        Data::F32(v) if bulk::all(v, |x: f32| (x.to_bits() != 1 << 31) & !x.is_nan()) => {
            bulk::each(v, order::of_single)
        }
        Data::Int(v) if bulk::all(v, |x: i32| x.unsigned_abs() <= 1 << 24) => {
            bulk::each(v, |x: i32| order::of_single(x as f32))
        }
        _ => return None,
    };
    Some(order::distinct(keys))
}

/// The numbers with such keys, of the type of an array that [`plain`] took.
fn numbers_as(t: &Tensor, keys: &[u32]) -> Value {
    Value::array(Tensor::vector(match &*t.data.borrow() {
        Data::Int(_) => Data::Int(bulk::each(keys, |k: u32| order::single(k) as i32)),
        _ => Data::F32(bulk::each(keys, order::single)),
    }))
}

/// As `unique` of an array of numbers.
pub fn unique(call: &Call) -> Option<Vec<Value>> {
    let t = array(call, 0)?;
    if call.outs < 2
        && let Some(keys) = plain(&t)
    {
        return Some(vec![numbers_as(&t, &keys)]);
    }
    let data = t.data.borrow();
    Some(match lists(&[&data]) {
        Lists::Single(l) => unique_of(call, &t, &l[0], u32::MAX),
        Lists::Double(l) => unique_of(call, &t, &l[0], u64::MAX),
    })
}

fn unique_of<K: Key>(call: &Call, t: &Tensor, keys: &[K], nan: K) -> Vec<Value> {
    let order = order::ranks(keys);
    let (mut at, mut number) = (Vec::new(), vec![0i32; if call.outs > 2 { keys.len() } else { 0 }]);
    let mut first_nan = None;
    for (k, i) in order.iter().enumerate() {
        let key = keys[*i as usize];
        if k == 0 || key == nan || key != keys[order[k - 1] as usize] {
            at.push(*i);
        }
        if key == nan {
            first_nan.get_or_insert(at.len() as i32 - 1);
        }
        if let Some(n) = number.get_mut(*i as usize) {
            // What is no number counts as the first of its kind.
            *n = if key == nan { first_nan.unwrap_or(0) } else { at.len() as i32 - 1 };
        }
    }
    let mut out = vec![take(t, &at), indices(&at)];
    if call.outs > 2 {
        out.push(Value::array(Tensor::new(t.shape.clone(), Data::Int(number))));
    }
    out
}

/// As `intersect` (`both`) and `setdiff` of arrays of numbers.
pub fn select(call: &Call, both: bool) -> Option<Vec<Value>> {
    let (a, b) = (array(call, 0)?, array(call, 1)?);
    if call.outs < 2
        && let (Some(x), Some(y)) = (plain(&a), plain(&b))
    {
        let mut rest = y.into_iter().peekable();
        let mut is_there = |k: &u32| {
            while rest.next_if(|r| r < k).is_some() {}
            rest.peek() == Some(k)
        };
        let found: Vec<u32> = x.into_iter().filter(|k| is_there(k) == both).collect();
        return Some(vec![numbers_as(&a, &found)]);
    }
    let (x, y) = (a.data.borrow(), b.data.borrow());
    Some(match lists(&[&x, &y]) {
        Lists::Single(l) => select_of(&a, &l[0], &l[1], u32::MAX, both),
        Lists::Double(l) => select_of(&a, &l[0], &l[1], u64::MAX, both),
    })
}

fn select_of<K: Key>(a: &Tensor, x: &[K], y: &[K], nan: K, both: bool) -> Vec<Value> {
    let (x, y) = (distinct(x, nan), distinct(y, nan));
    let (mut at, mut others, mut j) = (Vec::new(), Vec::new(), 0);
    for (key, i) in x.keys.iter().zip(&x.at) {
        while y.keys.get(j).is_some_and(|k| k < key) {
            j += 1;
        }
        let there = *key != nan && y.keys.get(j) == Some(key);
        if there == both {
            at.push(*i);
            if there {
                others.push(y.at[j]);
            }
        }
    }
    let mut out = vec![take(a, &at), indices(&at)];
    if both {
        out.push(indices(&others));
    }
    out
}

/// As `union` of arrays of singles, or of integers.
pub fn union(call: &Call) -> Option<Value> {
    let (a, b) = (array(call, 0)?, array(call, 1)?);
    let alike = match (&*a.data.borrow(), &*b.data.borrow()) {
        (Data::F32(_), Data::F32(_)) => !call.double(),
        (Data::Int(_), Data::Int(_)) => true,
        _ => false,
    };
    if a.is_empty() || b.is_empty() || !alike {
        return None;
    }
    let (x, y) = (plain(&a)?, plain(&b)?);
    let mut out = Vec::with_capacity(x.len() + y.len());
    let (mut i, mut j) = (0, 0);
    while i < x.len() && j < y.len() {
        let (p, q) = (x[i], y[j]);
        out.push(p.min(q));
        i += usize::from(p <= q);
        j += usize::from(q <= p);
    }
    out.extend_from_slice(&x[i..]);
    out.extend_from_slice(&y[j..]);
    Some(numbers_as(&a, &out))
}

/// As `ismember` of arrays of numbers.
pub fn ismember(call: &Call) -> Option<Vec<Value>> {
    let (x, all) = (array(call, 0)?, array(call, 1)?);
    let (a, b) = (x.data.borrow(), all.data.borrow());
    let at = match lists(&[&a, &b]) {
        Lists::Single(l) => places(&l[0], &l[1], u32::MAX),
        Lists::Double(l) => places(&l[0], &l[1], u64::MAX),
    };
    let found = Data::Mask(at.iter().map(|k| u8::from(*k >= 0)).collect());
    Some(vec![
        Value::array(Tensor::new(x.shape.clone(), found)),
        Value::array(Tensor::new(x.shape.clone(), Data::Int(at))),
    ])
}

/// Where each key stands first in a list, or -1.
fn places<K: Key>(x: &[K], list: &[K], nan: K) -> Vec<i32> {
    let set = distinct(list, nan);
    storage::build(x.len(), |range, out: &mut [i32]| {
        for (o, key) in out.iter_mut().zip(&x[range]) {
            let k = set.keys.partition_point(|p| p < key);
            *o = if *key != nan && set.keys.get(k) == Some(key) { set.at[k] as i32 } else { -1 };
        }
    })
}

/// Ascending places that are searched often: a table says where to begin.
pub struct Places<'a> {
    edges: &'a [f64],
    table: Vec<u32>,
    low: f64,
    scale: f64,
}

/// Steps from where the table says before the search begins anew.
const STEPS: usize = 8;

impl<'a> Places<'a> {
    /// Of numbers in ascending order, at least one.
    pub fn new(edges: &'a [f64]) -> Places<'a> {
        let cells = (edges.len() * 2).clamp(1, 1 << 20);
        let (low, high) = (edges[0], edges[edges.len() - 1]);
        let scale = if high > low { cells as f64 / (high - low) } else { 0.0 };
        let (mut table, mut k) = (vec![0u32; cells + 1], 0);
        for (c, t) in table.iter_mut().enumerate() {
            while k < edges.len() && ((edges[k] - low) * scale) < c as f64 {
                k += 1;
            }
            *t = k as u32;
        }
        Places { edges, table, low, scale }
    }

    /// How many of them are not greater than `x`.
    #[inline]
    pub fn up_to(&self, x: f64) -> usize {
        // Beyond the ends and of what is no number, the conversion ends at a bound.
        let cell = (((x - self.low) * self.scale) as usize).min(self.table.len() - 1);
        let mut k = self.table[cell] as usize;
        for _ in 0..STEPS {
            if k < self.edges.len() && self.edges[k] <= x {
                k += 1;
            } else if k > 0 && self.edges[k - 1] > x {
                k -= 1;
            } else {
                return k;
            }
        }
        self.edges.partition_point(|e| *e <= x)
    }
}
