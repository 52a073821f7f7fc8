//! The generator of random numbers: xoshiro256++ seeded by splitmix64 (Blackman and Vigna, "Scrambled linear pseudorandom number
//! generators", 2021), so that a seed gives the same sequence on every machine and in every version.

/// The generator of a session.
#[derive(Clone, Debug)]
pub struct Random {
    state: [u64; 4],
    /// The second of a pair of normal numbers.
    spare: Option<f64>,
}

impl Random {
    pub fn new(seed: u64) -> Random {
        let mut x = seed;
        let mut next = || {
            x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = x;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        };
        Random { state: [next(), next(), next(), next()], spare: None }
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Uniform in [0, 1), with 24 bits so that singles stay below 1.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 40) as f64 / (1u64 << 24) as f64
    }

    /// Standard normal, by the polar method.
    pub fn normal(&mut self) -> f64 {
        if let Some(x) = self.spare.take() {
            return x;
        }
        loop {
            let (u, v) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let s = u * u + v * v;
            if s > 0.0 && s < 1.0 {
                let f = (-2.0 * s.ln() / s).sqrt();
                self.spare = Some(v * f);
                return u * f;
            }
        }
    }
}
