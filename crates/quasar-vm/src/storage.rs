//! Storage for many elements, used again, and work on it by several threads.
//!
//! Fresh memory of an operating system costs a page fault for every 4 KiB, which is more than an addition of 1,024 elements.
//! So the storage of long arrays that are gone is kept, up to a limit, for the next ones of about the same length.

use quadra_numeric::threads;
use std::cell::RefCell;
use std::ops::Range;

/// Elements from which storage is kept, and from which it is worth to ask another thread.
pub const LONG: usize = threads::LONG;
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

/// Elements that are taken at a time: where an operand is a number, a block of copies of it stands for it, so that there is one loop
/// for each function whatever its operands are.
pub const BLOCK: usize = 256;

impl<'a, T: Copy + Default> Operand<'a, T> {
    /// Copies of the number.
    #[inline(always)]
    pub fn block(&self) -> [T; BLOCK] {
        match self {
            Operand::Array(_) => [T::default(); BLOCK],
            Operand::Number(x) => [*x; BLOCK],
        }
    }

    /// The `n` elements of block `k`, those of [`Operand::block`] being at hand.
    #[inline(always)]
    pub fn piece<'s>(&self, k: usize, block: &'s [T; BLOCK], n: usize) -> &'s [T]
    where
        'a: 's,
    {
        match self {
            Operand::Array(v) => &v[k * BLOCK..k * BLOCK + n],
            Operand::Number(_) => &block[..n],
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
    fn built<T: Kept>(n: usize, f: Part<'_, T>) -> Vec<T> {
        let mut out = storage(n);
        shared(&mut out, f);
        out
    }
    built(n, &f)
}

/// What is done to a range of an array. All that surrounds it is there once for each type of element, not for each function.
type Part<'a, T> = &'a (dyn Fn(Range<usize>, &mut [T]) + Sync);

/// Calls `f` for the ranges of an array, long ones by several threads.
pub fn each_part<T: Send>(out: &mut [T], f: impl Fn(Range<usize>, &mut [T]) + Sync) {
    shared(out, &f);
}

fn shared<T: Send>(out: &mut [T], f: Part<'_, T>) {
    threads::parts(out, turn(out.len()), &|from, part| f(from..from + part.len(), part));
}

/// How many of `n` elements a thread works on at a time: of few all.
pub fn turn(n: usize) -> usize {
    if n < LONG { n } else { CHUNK }
}

/// Calls `f` for the lines of `n` elements that make up an array, each with its number, by several threads if there is enough to do:
/// an element costs about as much as `cost` additions.
pub fn each_line<T: Send>(out: &mut [T], n: usize, cost: usize, f: impl Fn(usize, &mut [T]) + Sync) {
    let n = n.max(1);
    threads::parts(out, n * lines_at_a_time(out.len().div_ceil(n), n, cost), &|from, part| {
        part.chunks_mut(n).enumerate().for_each(|(k, line)| f(from / n + k, line));
    });
}

/// Lines of `n` elements, `total` elements in all, that `f` writes; the rest is as for [`each_line`].
pub fn build_lines<T: Kept>(total: usize, n: usize, cost: usize, f: impl Fn(usize, &mut [T]) + Sync) -> Vec<T> {
    let mut out = storage(total);
    each_line(&mut out, n, cost, f);
    out
}

/// How many of some lines of `n` elements a thread works on at a time: of few all. An element costs about as much as `cost` additions.
pub fn lines_at_a_time(lines: usize, n: usize, cost: usize) -> usize {
    let work = n.saturating_mul(cost).max(1);
    if lines.saturating_mul(work) < LONG { lines } else { (LONG / 4).div_ceil(work) }
}
