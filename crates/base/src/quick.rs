//! Hash maps whose keys the compiler makes itself.
//!
//! The standard library's hash withstands keys that an enemy chose, which costs more than most passes do with what they find.
//! Ids and small tuples of them need none of that. The order of iteration is the same in every run.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A hash map for ids and what is made of them.
pub type Map<K, V> = HashMap<K, V, BuildHasherDefault<Quick>>;

/// A hash set for ids and what is made of them.
pub type Set<K> = HashSet<K, BuildHasherDefault<Quick>>;

/// A rotation, an exclusive or and a product per word.
#[derive(Clone, Copy, Default)]
pub struct Quick(u64);

/// An odd number without a pattern: the fractional part of the golden ratio.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

impl Quick {
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    }
}

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|w| self.add(u64::from_le_bytes(*w)));
        if !rest.is_empty() {
            self.add(rest.iter().fold(0, |word, &b| word << 8 | u64::from(b)));
        }
    }

    fn write_u8(&mut self, n: u8) {
        self.add(n.into());
    }

    fn write_u16(&mut self, n: u16) {
        self.add(n.into());
    }

    fn write_u32(&mut self, n: u32) {
        self.add(n.into());
    }

    fn write_u64(&mut self, n: u64) {
        self.add(n);
    }

    fn write_usize(&mut self, n: usize) {
        self.add(n as u64);
    }

    fn write_isize(&mut self, n: isize) {
        self.add(n as u64);
    }

    /// Products mix upwards: the good bits come to where tables look first.
    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::BuildHasher;

    #[test]
    fn neighbouring_ids_go_to_different_places() {
        let hasher = BuildHasherDefault::<Quick>::default();
        let places: Set<u64> = (0..1000u32).map(|n| hasher.hash_one(n) % 2048).collect();
        assert!(places.len() > 700, "{}", places.len());
    }

    #[test]
    fn parts_and_their_order_count() {
        let hasher = BuildHasherDefault::<Quick>::default();
        let hashes: Set<u64> =
            [(1, 2), (2, 1), (0, 3), (3, 0)].iter().map(|pair: &(u32, u32)| hasher.hash_one(pair)).collect();
        assert_eq!(hashes.len(), 4);
        assert_ne!(hasher.hash_one("ab"), hasher.hash_one("ba"));
    }
}
