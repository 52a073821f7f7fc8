//! Work on many elements: results in storage that was used before, long arrays by several threads.
//!
//! Fresh memory of an operating system costs a page fault for every 4 KiB, which is more than an addition of 1,024 elements.
//! So the storage of long arrays that are gone is kept, up to a limit, for the next ones of about the same length.

use super::tensor::Data;
use super::value::Value;
use super::wide;
use quadra_quasar_hir::op1::Op1;
use quadra_quasar_hir::op2::Op2;
use rayon::prelude::*;
use std::cell::RefCell;
use std::ops::Range;
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
    pub fn part(&self, range: &Range<usize>) -> Operand<'a, T> {
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
    /// `out[i] = op x[i]`, of itself where `x` is absent.
    fn unary(op: Op1, out: &mut [Self], x: Option<&[Self]>);
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
kept!(i8);
kept!(i16);
kept!(i32);
kept!(i64);
kept!(u8);
kept!(u16);
kept!(u32);
kept!(u64);
kept!([f32; 2]);
kept!([f64; 2]);

macro_rules! element {
    ($t:ty, $binary:path, $unary:path) => {
        kept!($t);

        impl Element for $t {
            fn combine(op: Op2, out: &mut [$t], x: Option<Operand<'_, $t>>, y: Operand<'_, $t>, swapped: bool) {
                $binary(op, out, x, y, swapped);
            }

            fn unary(op: Op1, out: &mut [$t], x: Option<&[$t]>) {
                $unary(op, out, x);
            }
        }
    };
}
element!(f32, wide::binary32, wide::unary32);
element!(f64, wide::binary64, wide::unary64);

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
    i8::with_kept(Vec::clear);
    i16::with_kept(Vec::clear);
    i32::with_kept(Vec::clear);
    i64::with_kept(Vec::clear);
    u8::with_kept(Vec::clear);
    u16::with_kept(Vec::clear);
    u32::with_kept(Vec::clear);
    u64::with_kept(Vec::clear);
    <[f32; 2]>::with_kept(Vec::clear);
    <[f64; 2]>::with_kept(Vec::clear);
}

/// `n` elements that `f` writes, range by range, long arrays by several threads.
pub fn build<T: Kept>(n: usize, f: impl Fn(Range<usize>, &mut [T]) + Sync) -> Vec<T> {
    let mut out = storage(n);
    each_part(&mut out, f);
    out
}

/// Calls `f` for the ranges of an array, long ones by several threads.
pub fn each_part<T: Send>(out: &mut [T], f: impl Fn(Range<usize>, &mut [T]) + Sync) {
    if out.len() < LONG {
        return f(0..out.len(), out);
    }
    out.par_chunks_mut(CHUNK).enumerate().for_each(|(k, part)| f(k * CHUNK..k * CHUNK + part.len(), part));
}

/// `f` of all elements.
pub fn each<O: Kept, T: Copy + Sync>(v: &[T], f: impl Fn(T) -> O + Copy + Sync) -> Vec<O> {
    build(v.len(), |range, out| wide::run(wide::Each(out, &v[range], f)))
}

/// Whether `f` holds for all elements.
pub fn all<T: Copy + Sync>(v: &[T], f: impl Fn(T) -> bool + Copy + Sync) -> bool {
    match v.len() < LONG {
        true => wide::run(wide::All(v, f)),
        false => v.par_chunks(CHUNK).all(|part| wide::run(wide::All(part, f))),
    }
}

/// `op` of all pairs; both operands have `n` elements, or stand for one number.
pub fn zip<T: Element>(op: Op2, n: usize, x: Operand<'_, T>, y: Operand<'_, T>) -> Vec<T> {
    build(n, |range, out| T::combine(op, out, Some(x.part(&range)), y.part(&range), false))
}

/// `op` of all elements.
pub fn map<T: Element>(op: Op1, x: &[T]) -> Vec<T> {
    build(x.len(), |range, out| T::unary(op, out, Some(&x[range])))
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
        ($v:expr, $t:ident, $kind:ident, $number:ident) => {{
            let onto = |v: &mut [$t], y: Operand<'_, $t>| {
                each_part(v, |range, own| <$t>::combine(op, own, None, y.part(&range), swapped));
            };
            match other {
                Value::Array(y) => {
                    if let Data::$kind(y) = &*y.data.borrow() {
                        onto($v, Operand::Array(y));
                    }
                }
                number => onto($v, Operand::Number(number.$number().unwrap_or_default() as $t)),
            }
        }};
    }
    match tensor.data.get_mut() {
        Data::F32(v) => compute!(v, f32, F32, as_f64),
        Data::F64(v) => compute!(v, f64, F64, as_f64),
        _ => return Err(own),
    }
    Ok(own)
}
