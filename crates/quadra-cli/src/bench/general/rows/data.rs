//! Inputs, the same at every run.

pub use crate::bench::cpu::data::{Random, units};

/// Integers from 0 to below `limit`.
pub fn ints(seed: u64, many: usize, limit: i32) -> Vec<i32> {
    units(seed, many).into_iter().map(|x| ((x * limit as f32) as i32).min(limit - 1)).collect()
}

/// Integers of 64 bits from `least` to below `least + range`.
pub fn wide(seed: u64, many: usize, least: i64, range: i64) -> Vec<i64> {
    let mut random = Random::new(seed);
    (0..many).map(|_| least + (random.bits() >> 1) as i64 % range).collect()
}

pub fn bytes(seed: u64, many: usize) -> Vec<u8> {
    ints(seed, many, 256).into_iter().map(|x| x as u8).collect()
}
