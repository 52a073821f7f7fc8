//! numpy's legacy random numbers: the Mersenne twister MT19937 (Matsumoto and Nishimura, 1998), doubles of 53 bits, and
//! normal numbers by Marsaglia's polar method, as `numpy.random.seed` and `numpy.random.randn` give them.

const WORDS: usize = 624;
const SHIFT: usize = 397;

/// A generator.
#[derive(Clone, Debug)]
pub struct Random {
    state: [u32; WORDS],
    next: usize,
    /// The polar method makes two numbers at a time.
    spare: Option<f64>,
}

impl Random {
    /// The generator that `numpy.random.seed(seed)` leaves.
    ///
    /// ```
    /// let mut random = quadra_isa::vc4::sgemm::random::Random::new(0);
    /// assert_eq!(random.normal(), 1.764052345967664);
    /// ```
    pub fn new(seed: u32) -> Random {
        let mut state = [seed; WORDS];
        for i in 1..WORDS {
            let last = state[i - 1];
            state[i] = (last ^ last >> 30).wrapping_mul(1_812_433_253).wrapping_add(i as u32);
        }
        Random { state, next: WORDS, spare: None }
    }

    fn refill(&mut self) {
        for i in 0..WORDS {
            let bits = self.state[i] & 0x8000_0000 | self.state[(i + 1) % WORDS] & 0x7fff_ffff;
            let twist = if bits & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[i] = self.state[(i + SHIFT) % WORDS] ^ bits >> 1 ^ twist;
        }
        self.next = 0;
    }

    /// 32 random bits.
    pub fn word(&mut self) -> u32 {
        if self.next == WORDS {
            self.refill();
        }
        let mut y = self.state[self.next];
        self.next += 1;
        y ^= y >> 11;
        y ^= y << 7 & 0x9d2c_5680;
        y ^= y << 15 & 0xefc6_0000;
        y ^ y >> 18
    }

    /// A number in 0..1 with 53 random bits.
    pub fn uniform(&mut self) -> f64 {
        let (high, low) = (self.word() >> 5, self.word() >> 6);
        (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
    }

    /// A standard normal number.
    pub fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let (x, y) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let square = x * x + y * y;
            if square < 1.0 && square != 0.0 {
                let factor = (-2.0 * square.ln() / square).sqrt();
                self.spare = Some(factor * x);
                return factor * y;
            }
        }
    }
}
