//! Storage for many elements, used again, and work on it by several threads.
//!
//! Fresh memory of an operating system costs a page fault for every 4 KiB, which is more than an addition of 1,024 elements.
//! So the storage of long arrays that are gone is kept, up to a limit, for the next ones of about the same length.

use rayon::prelude::*;
use std::cell::RefCell;
use std::ops::Range;

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
kept!(f32);
kept!(f64);
kept!([f32; 2]);
kept!([f64; 2]);

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
    quadra_numeric::fourier::forget();
}

/// `n` elements that `f` writes, range by range, long arrays by several threads.
pub fn build<T: Kept>(n: usize, f: impl Fn(Range<usize>, &mut [T]) + Sync) -> Vec<T> {
    let mut out = storage(n);
    each_part(&mut out, f);
    out
}

/// What is done to a range of an array.
type Part<'a, T> = &'a (dyn Fn(Range<usize>, &mut [T]) + Sync);

/// Calls `f` for the ranges of an array, long ones by several threads.
pub fn each_part<T: Send>(out: &mut [T], f: impl Fn(Range<usize>, &mut [T]) + Sync) {
    // The code that shares work among threads is long: it is there once for each type of element, not for each function.
    fn shared<T: Send>(out: &mut [T], f: Part<'_, T>) {
        out.par_chunks_mut(CHUNK).enumerate().for_each(|(k, part)| f(k * CHUNK..k * CHUNK + part.len(), part));
    }
    match out.len() < LONG {
        true => f(0..out.len(), out),
        false => shared(out, &f),
    }
}
