//! Work that threads share. What is done comes as a trait object, so that the code that shares it is there once for each type of
//! element instead of once for each of hundreds of functions.

use quadra_base::team::{self, Team};
use std::ops::{AddAssign, Range};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Elements from which another thread pays.
pub const LONG: usize = 1 << 16;

/// How many threads there are.
pub fn count() -> usize {
    team::threads()
}

/// Does two things at the same time.
pub fn both<A, B>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) {
    let (mut a, mut b) = (Some(a), Some(b));
    join(&mut || _ = a.take().map(|a| a()), &mut || _ = b.take().map(|b| b()));
}

fn join(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
    rayon::join(a, b);
}

/// Calls `work` by up to `n` threads at the same time, at least by this one. They are those of the processor's kernels, which are
/// awake when arrays and kernels take turns; where they have something to do, this thread does all.
fn together(n: usize, work: &(dyn Fn() + Sync)) {
    let (come, panic) = (AtomicUsize::new(0), Mutex::new(None));
    let job = |_, _| {
        if come.fetch_add(1, Ordering::Relaxed) < n
            && let Err(payload) = catch_unwind(AssertUnwindSafe(work))
        {
            panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(payload);
        }
    };
    Team::get().run(&job, n.saturating_sub(1));
    if let Some(payload) = panic.into_inner().unwrap_or_else(PoisonError::into_inner) {
        resume_unwind(payload);
    }
}

/// Hands out the `n` items of a list to threads, one at a time in their order: each calls `work` with those that it gets.
pub fn share<T>(
    n: usize,
    items: &mut (dyn Iterator<Item = T> + Send),
    work: &(dyn Fn(&mut dyn Iterator<Item = T>) + Sync),
) {
    if n < 2 {
        return work(&mut &mut *items);
    }
    let queue = Mutex::new(items);
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    together(n.min(count()), &|| work(&mut std::iter::from_fn(next)));
}

/// Calls `work` for parts of `size` elements, each with where it begins.
pub fn parts<T: Send>(out: &mut [T], size: usize, work: &(dyn Fn(usize, &mut [T]) + Sync)) {
    let size = size.max(1);
    let n = out.len().div_ceil(size);
    let mut parts = out.chunks_mut(size).enumerate();
    share(n, &mut parts, &|parts| parts.for_each(|(k, part)| work(k * size, part)));
}

/// Hands out the items of a list to threads, `least` at a time.
pub fn groups<T: Send>(items: Vec<T>, least: usize, work: &(dyn Fn(&mut dyn Iterator<Item = T>) + Sync)) {
    let (n, mut rest) = (items.len().div_ceil(least.max(1)), items.into_iter());
    if n < 2 {
        return work(&mut rest);
    }
    let mut groups = std::iter::from_fn(|| {
        let group: Vec<T> = rest.by_ref().take(least).collect();
        (!group.is_empty()).then_some(group)
    });
    share(n, &mut groups, &|groups| work(&mut groups.flatten()));
}

/// The results for the ranges of `size` numbers that make up `0..n`, in their order.
pub fn ranges<R: Send>(n: usize, size: usize, result: &(dyn Fn(Range<usize>) -> R + Sync)) -> Vec<R> {
    let size = size.max(1);
    let mut out: Vec<Option<R>> = Vec::new();
    out.resize_with(n.div_ceil(size), || None);
    parts(&mut out, 1, &|k, place| place[0] = Some(result(k * size..(k * size + size).min(n))));
    out.into_iter().flatten().collect()
}

/// The lists for the ranges of `size` numbers that make up `0..n`, one behind the other.
pub fn lists<R: Send>(n: usize, size: usize, list: &(dyn Fn(Range<usize>) -> Vec<R> + Sync)) -> Vec<R> {
    if n <= size {
        return list(0..n);
    }
    let mut lists = ranges(n, size, list);
    let mut out = Vec::with_capacity(lists.iter().map(Vec::len).sum());
    lists.iter_mut().for_each(|list| out.append(list));
    out
}

/// What `add` adds to `bins` tallies for all of `0..n`; from `least` numbers on each thread has tallies of its own.
pub fn tallies<N: Copy + Default + AddAssign + Send>(
    n: usize,
    bins: usize,
    least: usize,
    add: &(dyn Fn(Range<usize>, &mut [N]) + Sync),
) -> Vec<N> {
    let of = |range: Range<usize>| {
        let mut own = vec![N::default(); bins];
        add(range, &mut own);
        own
    };
    if n < least {
        return of(0..n);
    }
    let mut parts = ranges(n, n.div_ceil(count()).max(least.div_ceil(2)), &of).into_iter();
    let mut sums = parts.next().unwrap_or_else(|| of(0..0));
    for part in parts {
        sums.iter_mut().zip(part).for_each(|(sum, own)| *sum += own);
    }
    sums
}
