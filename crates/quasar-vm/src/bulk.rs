//! Work on many elements: results in storage that was used before, long arrays by several threads.
//!
//! Fresh memory of an operating system costs a page fault for every 4 KiB, which is more than an addition of 1,024 elements.
//! So the storage of long arrays that are gone is kept, up to a limit, for the next ones of about the same length.

use super::scalar_ops::with_float;
use super::tensor::Data;
use super::value::Value;
use quadra_quasar_hir::op2::Op2;
use rayon::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;

/// Elements from which storage is kept, and from which it is worth to ask another thread.
pub const LONG: usize = 1 << 16;
/// Elements that a thread works on at a time: the operands fit into its second-level cache.
pub const CHUNK: usize = 1 << 15;
/// Arrays whose storage is kept, per type of element.
const KEPT: usize = 4;
/// Elements kept in all, per type of element.
const KEPT_ELEMENTS: usize = 1 << 26;

/// Elements, or one number for all of them.
#[derive(Clone, Copy)]
pub enum Operand<'a, T> {
    Array(&'a [T]),
    Number(T),
}

impl<'a, T: Copy> Operand<'a, T> {
    pub fn part(&self, range: &std::ops::Range<usize>) -> Operand<'a, T> {
        match self {
            Operand::Array(v) => Operand::Array(&v[range.clone()]),
            Operand::Number(x) => Operand::Number(*x),
        }
    }
}

/// A number type with kept storage.
pub trait Kept: Copy + Default + Send + Sync + 'static {
    fn with_kept<R>(body: impl FnOnce(&mut Vec<Vec<Self>>) -> R) -> Option<R>;
}

/// A number type with arithmetic on kept storage.
pub trait Element: Kept {
    /// `out[i] = x[i] op y[i]`, `x` being `out` itself where it is absent. `swapped`: `y[i] op x[i]`.
    fn combine(op: Op2, out: &mut [Self], x: Option<Operand<'_, Self>>, y: Operand<'_, Self>, swapped: bool);
}

fn apply<T: Copy>(out: &mut [T], x: Option<Operand<'_, T>>, y: Operand<'_, T>, f: impl Fn(T, T) -> T) {
    match (x, y) {
        (None, Operand::Array(y)) => out.iter_mut().zip(y).for_each(|(o, y)| *o = f(*o, *y)),
        (None, Operand::Number(y)) => out.iter_mut().for_each(|o| *o = f(*o, y)),
        (Some(Operand::Array(x)), Operand::Array(y)) => {
            out.iter_mut().zip(x).zip(y).for_each(|((o, x), y)| *o = f(*x, *y));
        }
        (Some(Operand::Array(x)), Operand::Number(y)) => out.iter_mut().zip(x).for_each(|(o, x)| *o = f(*x, y)),
        (Some(Operand::Number(x)), Operand::Array(y)) => out.iter_mut().zip(y).for_each(|(o, y)| *o = f(x, *y)),
        (Some(Operand::Number(x)), Operand::Number(y)) => out.fill(f(x, y)),
    }
}

macro_rules! kept {
    ($t:ty) => {
        impl Kept for $t {
            fn with_kept<R>(body: impl FnOnce(&mut Vec<Vec<$t>>) -> R) -> Option<R> {
                thread_local!(static KEPT_STORAGE: RefCell<Vec<Vec<$t>>> = const { RefCell::new(Vec::new()) });
                // At the end of a thread there is nobody to keep storage for.
                KEPT_STORAGE.try_with(|kept| body(&mut kept.borrow_mut())).ok()
            }
        }
    };
}
kept!(i32);

macro_rules! element {
    ($t:ty) => {
        kept!($t);

        impl Element for $t {
            fn combine(op: Op2, out: &mut [$t], x: Option<Operand<'_, $t>>, y: Operand<'_, $t>, swapped: bool) {
                match swapped {
                    false => with_float!(op, $t, f => apply(out, x, y, f)),
                    true => with_float!(op, $t, f => apply(out, x, y, |x, y| f(y, x))),
                }
            }
        }
    };
}
element!(f32);
element!(f64);

/// `n` elements of any value.
pub fn storage<T: Kept>(n: usize) -> Vec<T> {
    kept(n).unwrap_or_else(|| vec![T::default(); n])
}

/// `n` elements of any value in storage that was used before.
pub fn kept<T: Kept>(n: usize) -> Option<Vec<T>> {
    if n < LONG {
        return None;
    }
    let found = T::with_kept(|kept| {
        let i = kept.iter().position(|v| v.len() >= n && v.len() / 2 <= n)?;
        Some(kept.swap_remove(i))
    });
    let mut v = found.flatten()?;
    v.truncate(n);
    Some(v)
}

/// Keeps the storage of an array that is gone.
pub fn keep<T: Kept>(v: &mut Vec<T>) {
    if v.len() < LONG || v.len() > KEPT_ELEMENTS {
        return;
    }
    let v = std::mem::take(v);
    T::with_kept(|kept| {
        let room = |kept: &Vec<Vec<T>>| kept.iter().map(Vec::len).sum::<usize>() + v.len() <= KEPT_ELEMENTS;
        while kept.len() >= KEPT || !room(kept) {
            kept.remove(0);
        }
        kept.push(v);
    });
}

/// Gives up what is kept.
pub fn forget() {
    f32::with_kept(Vec::clear);
    f64::with_kept(Vec::clear);
    i32::with_kept(Vec::clear);
}

/// `f` of all pairs.
pub fn zip<T: Element>(a: &[T], b: &[T], f: impl Fn(T, T) -> T + Sync) -> Vec<T> {
    let mut out = storage(a.len());
    let work = |((out, a), b): ((&mut [T], &[T]), &[T])| {
        out.iter_mut().zip(a).zip(b).for_each(|((o, x), y)| *o = f(*x, *y));
    };
    if a.len() < LONG {
        work(((&mut out, a), b));
    } else {
        out.par_chunks_mut(CHUNK).zip(a.par_chunks(CHUNK)).zip(b.par_chunks(CHUNK)).for_each(work);
    }
    out
}

/// `f` of all elements.
pub fn map<T: Element>(a: &[T], f: impl Fn(T) -> T + Sync) -> Vec<T> {
    let mut out = storage(a.len());
    let work = |(out, a): (&mut [T], &[T])| out.iter_mut().zip(a).for_each(|(o, x)| *o = f(*x));
    if a.len() < LONG {
        work((&mut out, a));
    } else {
        out.par_chunks_mut(CHUNK).zip(a.par_chunks(CHUNK)).for_each(work);
    }
    out
}

/// `own[i] = f(own[i], other[i])`.
fn zip_onto<T: Element>(own: &mut [T], other: &[T], f: impl Fn(T, T) -> T + Sync) {
    let work = |(own, other): (&mut [T], &[T])| own.iter_mut().zip(other).for_each(|(o, y)| *o = f(*o, *y));
    if own.len() < LONG {
        work((own, other));
    } else {
        own.par_chunks_mut(CHUNK).zip(other.par_chunks(CHUNK)).for_each(work);
    }
}

/// `own[i] = f(own[i])`.
fn map_onto<T: Element>(own: &mut [T], f: impl Fn(T) -> T + Sync) {
    let work = |own: &mut [T]| own.iter_mut().for_each(|o| *o = f(*o));
    if own.len() < LONG {
        work(own);
    } else {
        own.par_chunks_mut(CHUNK).for_each(work);
    }
}

/// Whether an operator goes element by element between these operands, `own` being an array of floats. `matrix`: `*`, `/` and
/// `^` have their matrix meaning.
fn elementwise(op: Op2, matrix: bool, own: &Value, other: &Value) -> bool {
    let Value::Array(x) = own else { return false };
    if !matches!(*x.data.peek(), Data::F32(_) | Data::F64(_)) || op.is_comparison() {
        return false;
    }
    match other {
        Value::Array(y) => {
            let product = matrix && matches!(op, Op2::Mul | Op2::Div | Op2::Pow);
            x.shape == y.shape
                && (!product || x.is_vector())
                && std::mem::discriminant(&*x.data.peek()) == std::mem::discriminant(&*y.data.peek())
        }
        Value::F32(_) | Value::Int(_) => !(matrix && op == Op2::Pow),
        _ => false,
    }
}

/// Computes `own op other` (`swapped`: `other op own`) into the elements of `own`, which nobody else refers to. Gives `own`
/// back as it was where that is not possible.
pub fn onto(op: Op2, matrix: bool, mut own: Value, other: &Value, swapped: bool) -> Result<Value, Value> {
    if !elementwise(op, matrix, &own, other) {
        return Err(own);
    }
    let Value::Array(rc) = &mut own else { return Err(own) };
    let Some(tensor) = Rc::get_mut(rc) else { return Err(own) };
    macro_rules! compute {
        ($v:expr, $t:ident, $kind:ident, $number:ident) => {
            match other {
                Value::Array(y) => {
                    if let Data::$kind(y) = &*y.data.borrow() {
                        match swapped {
                            false => with_float!(op, $t, f => zip_onto($v, y, f)),
                            true => with_float!(op, $t, f => zip_onto($v, y, |x, y| f(y, x))),
                        }
                    }
                }
                number => {
                    let y = number.$number().unwrap_or_default() as $t;
                    match swapped {
                        false => with_float!(op, $t, f => map_onto($v, |x| f(x, y))),
                        true => with_float!(op, $t, f => map_onto($v, |x| f(y, x))),
                    }
                }
            }
        };
    }
    match tensor.data.get_mut() {
        Data::F32(v) => compute!(v, f32, F32, as_f64),
        Data::F64(v) => compute!(v, f64, F64, as_f64),
        _ => return Err(own),
    }
    Ok(own)
}
