//! A small generator of random numbers, so that a seed means the same for ever.

/// The splitmix64 generator: 64 bits of state, every seed a good one.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of this seed.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x5851_f42d_4c95_7f2d)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which must not be 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: i32, high: i32) -> i32 {
        low + self.below((high - low + 1) as usize) as i32
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of these.
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// An integer: small, any, or one where overflow begins.
    pub fn int(&mut self) -> i32 {
        match self.below(8) {
            0 => self.bits() as i32,
            1 => self.pick(&[i32::MIN, i32::MAX, -1, 0, 1, 1 << 23, (1 << 24) + 1, -(1 << 24), 0x55aa_55aa]),
            2 => 1i32 << self.below(31),
            _ => self.between(-20, 40),
        }
    }

    /// A float: small with few or many bits, any bits, or a special value.
    pub fn float(&mut self) -> f32 {
        match self.below(8) {
            0 => f32::from_bits(self.bits() as u32),
            1 => f32::from_bits(self.pick(&[
                0,
                0x8000_0000,
                1,
                0x007f_ffff,
                0x0080_0000,
                0x3f80_0000,
                0xbf80_0000,
                0x4f00_0000,
                0xcf00_0000,
                0x7f7f_ffff,
                0x7f80_0000,
                0xff80_0000,
                0x7fc0_0000,
                0xffc0_0001,
            ])),
            2 => self.between(-20, 40) as f32,
            3 => self.between(-1000, 1000) as f32 / 8.0,
            _ => f32::from_bits((self.bits() as u32 & 0x807f_ffff) | ((120 + self.below(14) as u32) << 23)),
        }
    }
}
