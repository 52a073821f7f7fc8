//! Random numbers: xoshiro256++ seeded by splitmix64 (Blackman and Vigna, "Scrambled linear pseudorandom number generators",
//! 2021), so that a seed gives the same sequence on every machine and in every version.

use super::{Builtin, Call, Run, row};
use crate::fault::Res;
use crate::tensor::{Tensor, real_data};
use crate::value::Value;
use quadra_quasar_hir::meaning::Meaning;

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

    fn next(&mut self) -> u64 {
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
    pub fn uniform(&mut self) -> f64 {
        (self.next() >> 40) as f64 / (1u64 << 24) as f64
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

fn fill(call: &mut Call, skip: usize, f: impl Fn(&mut Random) -> f64) -> Res<Value> {
    let double = call.double();
    if call.args.len() == skip {
        return Ok(Value::scalar(f(&mut call.cx.random), double));
    }
    let shape = super::array::shape_from(&call.args[skip..], "an array")?;
    // Reserves within the limit before the numbers are made.
    let empty = Tensor::zeros(shape, &quadra_quasar_hir::types::Type::SCALAR, double)?;
    let values = (0..empty.len()).map(|_| f(&mut call.cx.random)).collect();
    Ok(Value::array(Tensor::new(empty.shape.clone(), real_data(values, double))))
}

fn randi(call: &mut Call) -> Res<Value> {
    let n = call.integer(0)?.max(1) as f64;
    let v = fill(call, 1, |r| (r.uniform() * n).floor())?;
    match v {
        Value::Array(_) => Ok(v),
        v => crate::typing::convert(&v, &quadra_quasar_hir::types::Type::INT, call.double()),
    }
}

fn seed(call: &mut Call) -> Res<()> {
    call.cx.random = Random::new(call.integer(0)? as u64);
    Ok(())
}

pub const TABLE: &[Builtin] = &[
    row!(
        "rand",
        "rand(d…)",
        "uniform in 0..1; one number without arguments",
        "x = rand(2,2)",
        0..=16,
        Run::One(|c| fill(c, 0, Random::uniform))
    )
    .means(Meaning::Random),
    row!(
        "randn",
        "randn(d…)",
        "standard normal; one number without arguments",
        "x = randn(2,2)",
        0..=16,
        Run::One(|c| fill(c, 0, Random::normal))
    )
    .means(Meaning::Random),
    row!("randi", "randi(n,d…)", "whole numbers from 0 to n-1", "x = randi(6)", 1..=17, Run::One(randi)),
    row!(
        "seed",
        "seed(n)",
        "starts the random numbers anew; equal seeds, equal numbers",
        "seed(1)",
        1..=1,
        Run::Effect(seed)
    ),
];
