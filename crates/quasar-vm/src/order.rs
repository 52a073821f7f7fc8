//! Numbers in order: as unsigned keys that compare as the numbers do, sorted by their bits.

use super::bulk::LONG;
use super::tensor::Data;

/// A key of a number.
pub trait Key: Copy + Ord + Send + Sync + Default + 'static {
    const BITS: u32;
    fn digit(self, shift: u32) -> usize;
    fn flipped(self) -> Self;
}

impl Key for u32 {
    const BITS: u32 = 32;

    #[inline(always)]
    fn digit(self, shift: u32) -> usize {
        (self >> shift) as usize & (BINS - 1)
    }

    fn flipped(self) -> u32 {
        !self
    }
}

impl Key for u64 {
    const BITS: u32 = 64;

    #[inline(always)]
    fn digit(self, shift: u32) -> usize {
        (self >> shift) as usize & (BINS - 1)
    }

    fn flipped(self) -> u64 {
        !self
    }
}

/// Bits of a digit, and values of one.
const DIGIT: u32 = 11;
const BINS: usize = 1 << DIGIT;
/// Elements below which comparing is quicker than counting digits.
const FEW: usize = 1500;

/// The keys of an array's numbers.
pub enum Keys {
    Single(Vec<u32>),
    Double(Vec<u64>),
}

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

/// The number of an integer's key.
const SIGN: u32 = 0x8000_0000;

/// The keys of real elements.
pub fn keys(data: &Data) -> Keys {
    match data {
        Data::F32(v) | Data::F16(v) => Keys::Single(v.iter().map(|x| of_single(*x)).collect()),
        Data::Int(v) | Data::I32(v) => Keys::Single(v.iter().map(|x| *x as u32 ^ SIGN).collect()),
        Data::Mask(v) | Data::U8(v) => Keys::Single(v.iter().map(|x| u32::from(*x)).collect()),
        Data::U16(v) => Keys::Single(v.iter().map(|x| u32::from(*x)).collect()),
        Data::U32(v) => Keys::Single(v.clone()),
        Data::I8(v) => Keys::Single(v.iter().map(|x| i32::from(*x) as u32 ^ SIGN).collect()),
        Data::I16(v) => Keys::Single(v.iter().map(|x| i32::from(*x) as u32 ^ SIGN).collect()),
        other => Keys::Double(super::arith::to_f64(other).iter().map(|x| of_double(*x)).collect()),
    }
}

/// The digits in which keys differ, from the lowest.
fn digits<K: Key, T>(v: &[T], key: impl Fn(&T) -> K) -> Vec<u32> {
    let Some(first) = v.first() else { return Vec::new() };
    let first = key(first);
    let shifts: Vec<u32> = (0..K::BITS).step_by(DIGIT as usize).collect();
    let mut differ = vec![false; shifts.len()];
    for (d, shift) in differ.iter_mut().zip(&shifts) {
        *d = v.iter().any(|x| key(x).digit(*shift) != first.digit(*shift));
    }
    shifts.into_iter().zip(differ).filter(|d| d.1).map(|d| d.0).collect()
}

/// Sorts by keys, equal ones in their order.
fn by_digits<K: Key, T: Copy + Default>(v: &mut Vec<T>, key: impl Fn(&T) -> K + Copy) {
    let shifts = digits(v, key);
    if shifts.is_empty() {
        return;
    }
    let mut other = vec![T::default(); v.len()];
    for shift in shifts {
        let mut next = [0usize; BINS];
        v.iter().for_each(|x| next[key(x).digit(shift)] += 1);
        let mut at = 0;
        next.iter_mut().for_each(|n| at += std::mem::replace(n, at));
        for x in v.iter() {
            let place = &mut next[key(x).digit(shift)];
            other[*place] = *x;
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
    if v.len() < LONG || rayon::current_num_threads() < 2 {
        by_digits(&mut v, key);
        return v;
    }
    let mut right = v.split_off(v.len() / 2);
    rayon::join(|| by_digits(&mut v, key), || by_digits(&mut right, key));
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
    rayon::join(|| merge(a.0, b.0, first, key), || merge(a.1, b.1, last, key));
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

/// The keys in ascending order.
pub fn sorted<K: Key>(v: Vec<K>) -> Vec<K> {
    sorted_by(v, |x| *x)
}

/// The places of the keys in ascending order, equal ones in theirs.
pub fn ranks<K: Key>(v: &[K]) -> Vec<u32> {
    let pairs: Vec<(K, u32)> = v.iter().zip(0..).map(|(k, i)| (*k, i)).collect();
    sorted_by(pairs, |p| p.0).into_iter().map(|p| p.1).collect()
}

/// The `k`-th least key of many, which are left in another order.
pub fn select<K: Key>(v: &mut [K], k: usize) -> K {
    *v.select_nth_unstable(k).1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(n: usize) -> Vec<f32> {
        let odd = [0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -f32::NAN, 1e-42];
        let other = (0..n as u32).map(|k| f32::from_bits(k.wrapping_mul(2_654_435_761)));
        odd.into_iter().chain(other).chain((0..n as u32).map(|k| (k * 7 % 100) as f32)).collect()
    }

    #[test]
    fn keys_compare_as_numbers() {
        let v = numbers(300);
        for x in &v {
            assert_eq!(single(of_single(*x)).to_bits(), x.to_bits());
            assert_eq!(double(of_double(f64::from(*x))).to_bits(), f64::from(*x).to_bits());
            for y in &v {
                assert_eq!(of_single(*x).cmp(&of_single(*y)), x.total_cmp(y));
                assert_eq!(
                    of_double(f64::from(*x)).cmp(&of_double(f64::from(*y))),
                    f64::from(*x).total_cmp(&f64::from(*y))
                );
            }
        }
    }

    #[test]
    fn lists_of_all_lengths_are_sorted_and_equal_numbers_keep_their_order() {
        for n in [0, 1, 700, 5000, 40_000, 100_000] {
            let v: Vec<u32> = numbers(n).into_iter().map(of_single).collect();
            let mut want: Vec<(u32, u32)> = v.iter().copied().zip(0..).collect();
            want.sort();
            assert!(sorted(v.clone()).iter().zip(&want).all(|(a, b)| *a == b.0), "{n}");
            assert!(ranks(&v).iter().zip(&want).all(|(a, b)| *a == b.1), "{n}");
            let wide: Vec<u64> = v.iter().map(|k| u64::from(*k) << 17).collect();
            assert!(ranks(&wide).iter().zip(&want).all(|(a, b)| *a == b.1), "{n}");
        }
    }
}
