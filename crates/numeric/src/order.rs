//! Numbers in order: as unsigned keys that compare as the numbers do, sorted in vectors or by their digits, long lists by two threads.

use crate::threads::{self, LONG};
use std::ops::Range;

/// A key of a number.
pub trait Key: Copy + Ord + Send + Sync + Default + 'static {
    const BITS: u32;
    fn digit(self, shift: u32) -> usize;
    fn flipped(self) -> Self;
    /// Bits that depend on all of the key's.
    fn scattered(self) -> usize;
    /// Sorts in the processor's widest vectors, if there is a way; whether there is. `room` is scratch memory.
    fn in_vectors(v: &mut [Self], room: &mut Vec<Self>) -> bool;
    /// Puts about the lesser half of many keys first; where the greater ones begin.
    fn halve(v: &mut [Self], room: &mut Vec<Self>) -> Option<usize>;
}

macro_rules! key {
    ($t:ident, $odd:literal, $shift:literal, $vectors:ident) => {
        impl Key for $t {
            const BITS: u32 = $t::BITS;

            #[inline(always)]
            fn digit(self, shift: u32) -> usize {
                (self >> shift) as usize & (BINS - 1)
            }

            fn flipped(self) -> $t {
                !self
            }

            #[inline(always)]
            fn scattered(self) -> usize {
                (self.wrapping_mul($odd) >> $shift) as usize
            }

            #[cfg(target_arch = "x86_64")]
            fn in_vectors(v: &mut [$t], room: &mut Vec<$t>) -> bool {
                crate::vectors::$vectors::sort(v, room)
            }

            #[cfg(not(target_arch = "x86_64"))]
            fn in_vectors(_: &mut [$t], _: &mut Vec<$t>) -> bool {
                false
            }

            #[cfg(target_arch = "x86_64")]
            fn halve(v: &mut [$t], room: &mut Vec<$t>) -> Option<usize> {
                crate::vectors::$vectors::halve(v, room)
            }

            #[cfg(not(target_arch = "x86_64"))]
            fn halve(_: &mut [$t], _: &mut Vec<$t>) -> Option<usize> {
                None
            }
        }
    };
}
key!(u32, 0x9E37_79B1, 16, singles);
key!(u64, 0x9E37_79B9_7F4A_7C15, 40, doubles);

/// Bits of a digit, and values of one.
const DIGIT: u32 = 11;
const BINS: usize = 1 << DIGIT;
/// Elements below which comparing is quicker than counting digits.
const FEW: usize = 1500;

/// The key of a single: the order is that of `total_cmp`, zeros of both signs being different and NaN at the ends.
#[inline(always)]
pub fn of_single(x: f32) -> u32 {
    let bits = x.to_bits() as i32;
    (bits ^ ((bits >> 31) as u32 >> 1) as i32) as u32 ^ 0x8000_0000
}

/// The single with a key.
#[inline(always)]
pub fn single(key: u32) -> f32 {
    let bits = (key ^ 0x8000_0000) as i32;
    f32::from_bits((bits ^ ((bits >> 31) as u32 >> 1) as i32) as u32)
}

/// As [`of_single`].
#[inline(always)]
pub fn of_double(x: f64) -> u64 {
    let bits = x.to_bits() as i64;
    (bits ^ ((bits >> 63) as u64 >> 1) as i64) as u64 ^ (1 << 63)
}

/// As [`single`].
#[inline(always)]
pub fn double(key: u64) -> f64 {
    let bits = (key ^ (1 << 63)) as i64;
    f64::from_bits((bits ^ ((bits >> 63) as u64 >> 1) as i64) as u64)
}

/// Sorts by keys, equal ones in their order.
pub fn by_digits<K: Key, T: Copy + Default>(v: &mut Vec<T>, key: impl Fn(&T) -> K + Copy) {
    let digits = K::BITS.div_ceil(DIGIT) as usize;
    let mut counts = vec![[0u32; BINS]; digits];
    for x in v.iter() {
        let key = key(x);
        for (d, counts) in counts.iter_mut().enumerate() {
            counts[key.digit(d as u32 * DIGIT)] += 1;
        }
    }
    let mut other = vec![T::default(); v.len()];
    for (d, next) in counts.iter_mut().enumerate() {
        // A digit that is the same in all keys.
        if next.iter().any(|n| *n as usize == v.len()) {
            continue;
        }
        let mut at = 0;
        next.iter_mut().for_each(|n| at += std::mem::replace(n, at));
        for x in v.iter() {
            let place = &mut next[key(x).digit(d as u32 * DIGIT)];
            other[*place as usize] = *x;
            *place += 1;
        }
        std::mem::swap(v, &mut other);
    }
}

/// As [`by_digits`]: long lists in two halves by two threads.
fn sorted_by<K: Key, T: Copy + Default + Send + Sync>(
    mut v: Vec<T>,
    key: impl Fn(&T) -> K + Copy + Send + Sync,
) -> Vec<T> {
    if v.len() < FEW {
        v.sort_by_key(key);
        return v;
    }
    if v.len() < LONG || threads::count() < 2 {
        by_digits(&mut v, key);
        return v;
    }
    let mut right = v.split_off(v.len() / 2);
    threads::both(|| by_digits(&mut v, key), || by_digits(&mut right, key));
    // The place of the middle of the result in both halves: so many of the left one and of the right one come before.
    let half = (v.len() + right.len()) / 2;
    let (mut low, mut high) = (half.saturating_sub(right.len()), half.min(v.len()));
    while low < high {
        let i = (low + high) / 2;
        // Of equal keys those on the left come first.
        if key(&v[i]) <= key(&right[half - i - 1]) { low = i + 1 } else { high = i }
    }
    let (a, b) = (v.split_at(low), right.split_at(half - low));
    let mut out = vec![T::default(); v.len() + right.len()];
    let (first, last) = out.split_at_mut(half);
    threads::both(|| merge(a.0, b.0, first, key), || merge(a.1, b.1, last, key));
    out
}

fn merge<K: Key, T: Copy>(a: &[T], b: &[T], out: &mut [T], key: impl Fn(&T) -> K) {
    let (mut i, mut j, mut k) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (&a[i], &b[j]);
        let left = key(x) <= key(y);
        out[k] = if left { *x } else { *y };
        i += usize::from(left);
        j += usize::from(!left);
        k += 1;
    }
    out[k..k + a.len() - i].copy_from_slice(&a[i..]);
    k += a.len() - i;
    out[k..].copy_from_slice(&b[j..]);
}

/// Sorts keys.
pub fn sort<K: Key>(v: &mut [K]) {
    let mut room = Vec::new();
    if v.len() >= LONG
        && threads::count() > 1
        && let Some(half) = K::halve(v, &mut room)
    {
        let (low, high) = v.split_at_mut(half);
        let sort = |v: &mut [K], room: &mut Vec<K>| K::in_vectors(v, room);
        threads::both(|| sort(low, &mut room), || sort(high, &mut Vec::new()));
        return;
    }
    if !K::in_vectors(v, &mut room) {
        match v.len() < FEW {
            true => v.sort_unstable(),
            false => v.copy_from_slice(&sorted_by(v.to_vec(), |x| *x)),
        }
    }
}

/// The keys in ascending order.
pub fn sorted<K: Key>(mut v: Vec<K>) -> Vec<K> {
    sort(&mut v);
    v
}

/// The different keys in ascending order, and how often each stands there.
pub fn counted<K: Key>(mut keys: Vec<K>) -> Vec<(K, usize)> {
    if let Some(found) = few_counted(&keys) {
        return found;
    }
    sort(&mut keys);
    keys.chunk_by(|a, b| a == b).map(|run| (run[0], run.len())).collect()
}

/// The different keys in ascending order.
pub fn distinct<K: Key>(mut keys: Vec<K>) -> Vec<K> {
    if let Some(found) = few_counted(&keys) {
        return found.into_iter().map(|place| place.0).collect();
    }
    sort(&mut keys);
    keys.dedup();
    keys
}

/// Places of a table of keys, and how many of them may be taken.
const PLACES: usize = 4096;
const TAKEN: usize = 2048;

/// As [`counted`], by a table of the different keys, if there are few of them.
fn few_counted<K: Key>(keys: &[K]) -> Option<Vec<(K, usize)>> {
    // Among some that are far from each other a pair is equal, unless there are many different ones.
    let mut some: Vec<K> = keys.iter().step_by(keys.len().div_ceil(96).max(1)).copied().collect();
    some.sort_unstable();
    if keys.len() < FEW || some.windows(2).all(|p| p[0] != p[1]) {
        return None;
    }
    let part = |range: Range<usize>| {
        let (mut table, mut taken) = (vec![(K::default(), 0usize); PLACES], 0);
        for k in &keys[range] {
            let mut at = k.scattered() % PLACES;
            while table[at].1 > 0 && table[at].0 != *k {
                at = (at + 1) % PLACES;
            }
            taken += usize::from(table[at].1 == 0);
            if taken > TAKEN {
                return None;
            }
            table[at] = (*k, table[at].1 + 1);
        }
        table.retain(|place| place.1 > 0);
        Some(table)
    };
    let size = keys.len().div_ceil(if keys.len() < LONG { 1 } else { threads::count() });
    let tables: Option<Vec<Vec<(K, usize)>>> = threads::ranges(keys.len(), size, &part).into_iter().collect();
    let mut all = tables?.concat();
    all.sort_unstable();
    let sum = |run: &[(K, usize)]| (run[0].0, run.iter().map(|place| place.1).sum());
    Some(all.chunk_by(|a, b| a.0 == b.0).map(sum).collect())
}

/// The places of the keys in ascending order, equal ones in theirs.
pub fn ranks<K: Key>(v: &[K]) -> Vec<u32> {
    let pairs: Vec<(K, u32)> = v.iter().zip(0..).map(|(k, i)| (*k, i)).collect();
    sorted_by(pairs, |p| p.0).into_iter().map(|p| p.1).collect()
}

/// The `k`-th least of many keys, from 0; there must be more than `k`.
pub fn select<K: Key>(v: &[K], k: usize) -> K {
    if v.len() < FEW {
        let mut v = v.to_vec();
        return *v.select_nth_unstable(k).1;
    }
    // Digit by digit from the highest: how many keys have each decides which of them are left.
    let (mut left, mut k): (Option<Vec<K>>, usize) = (None, k);
    for d in (0..K::BITS.div_ceil(DIGIT)).rev() {
        let now = left.as_deref().unwrap_or(v);
        if now.len() < FEW {
            break;
        }
        let shift = d * DIGIT;
        let counts = counts(now, shift);
        let mut digit = 0;
        while counts[digit] <= k {
            k -= counts[digit];
            digit += 1;
        }
        if counts[digit] < now.len() {
            left = Some(having(now, shift, digit, counts[digit]));
        }
    }
    let mut left = left.unwrap_or_else(|| v.to_vec());
    *left.select_nth_unstable(k).1
}

/// How many keys have each value of a digit.
fn counts<K: Key>(v: &[K], shift: u32) -> Vec<usize> {
    threads::tallies(v.len(), BINS, LONG, &|range, counts| v[range].iter().for_each(|k| counts[k.digit(shift)] += 1))
}

/// The keys that have a digit, `n` in all.
fn having<K: Key>(v: &[K], shift: u32, digit: usize, n: usize) -> Vec<K> {
    let part = |range: Range<usize>| {
        let mut out = vec![K::default(); range.len() + 1];
        let mut n = 0;
        for k in &v[range] {
            // Written always, kept if it counts.
            out[n] = *k;
            n += usize::from(k.digit(shift) == digit);
        }
        out.truncate(n);
        out
    };
    let out = threads::lists(v.len(), if v.len() < LONG { v.len() } else { LONG / 2 }, &part);
    debug_assert_eq!(out.len(), n);
    out
}
