//! Inputs of K1 to K12: sizes and distributions. The same numbers at every run.

/// K1: rows, columns, distance of the window's edge.
pub const K1: (usize, usize, usize) = (1024, 1024, 5);
/// K2: rows, columns.
pub const K2: (usize, usize) = (2048, 2048);
/// K2: how far each colour moves, and towards which.
pub const K2_T: f32 = 0.25 * 1.2;
pub const K2_HOT: [f32; 3] = [1.0, 0.2, 0.0];
/// K3: points a side, steps, share of the surroundings.
pub const K3: (usize, usize) = (512, 2000);
pub const K3_K: f32 = 0.25;
/// K4: vertices, few and many; the angle's cosine and sine.
pub const K4: [usize; 2] = [192_000, 19_200_000];
pub const K4_ANGLE: f32 = 0.3;
/// K5: rows, inner size, columns.
pub const K5: [(usize, usize, usize); 2] = [(96, 363, 3072), (1024, 1024, 1024)];
/// K6: values; there are 256 bins.
pub const K6: usize = 16 << 20;
/// K7: values.
pub const K7: usize = 64 << 20;
/// K8: points a side, iterations.
pub const K8: (usize, i32) = (1024, 256);
/// K9: pairs.
pub const K9: usize = 16 << 20;
/// K10: points a side, the two deviations.
pub const K10: (usize, f32, f32) = (1024, 2.0, 0.1);
/// K11: points a side, deviation of the 15 taps.
pub const K11: (usize, f64) = (2048, 2.5);
/// K12: elements, factor.
pub const K12: (usize, f32) = (64 << 20, 1.0001);

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform from 0 to 1, 1 excluded.
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1 << 24) as f32
    }

    /// Roughly normal: a sum of twelve uniform numbers.
    fn normal(&mut self, mean: f32, deviation: f32) -> f32 {
        let sum: f32 = (0..12).map(|_| self.unit()).sum();
        mean + deviation * (sum - 6.0)
    }
}

/// `n` numbers from 0 to 1.
pub fn units(seed: u64, n: usize) -> Vec<f32> {
    let mut random = Random::new(seed);
    (0..n).map(|_| random.unit()).collect()
}

/// K3's start: up to 1000 inside, 0 at the borders.
pub fn k3() -> Vec<f32> {
    let n = K3.0;
    let mut grid = units(3, n * n);
    for (i, t) in grid.iter_mut().enumerate() {
        let (y, x) = (i / n, i % n);
        *t = if y == 0 || x == 0 || y == n - 1 || x == n - 1 { 0.0 } else { *t * 1000.0 };
    }
    grid
}

/// K5's matrices, from -0.5 to 0.5.
pub fn k5((m, k, n): (usize, usize, usize)) -> (Vec<f32>, Vec<f32>) {
    let all: Vec<f32> = units(5, m * k + k * n).into_iter().map(|x| x - 0.5).collect();
    (all[..m * k].to_vec(), all[m * k..].to_vec())
}

/// K6's bytes, normal around 128.
pub fn k6() -> Vec<u8> {
    let mut random = Random::new(6);
    (0..K6).map(|_| random.normal(128.0, 30.0).clamp(0.0, 255.0) as u8).collect()
}

/// K6's bytes as floats: the middle of each of 256 bins from 0 to 1.
pub fn k6_floats(bytes: &[u8]) -> Vec<f32> {
    bytes.iter().map(|&b| (f32::from(b) + 0.5) / 256.0).collect()
}

/// K9's numbers, from 100 to 199.
pub fn k9() -> (Vec<i32>, Vec<i32>) {
    let mut random = Random::new(9);
    let mut numbers = || (0..K9).map(|_| 100 + (random.bits() % 100) as i32).collect();
    (numbers(), numbers())
}

/// K11's taps.
pub fn k11_taps() -> [f32; 15] {
    let raw: Vec<f64> = (-7..8).map(|x: i32| (-f64::from(x * x) / (2.0 * K11.1 * K11.1)).exp()).collect();
    let sum: f64 = raw.iter().sum();
    std::array::from_fn(|i| (raw[i] / sum) as f32)
}
