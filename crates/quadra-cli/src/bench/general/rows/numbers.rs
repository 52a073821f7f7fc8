//! Integers of 64 bits, elementary functions, bytes, reductions along an axis.

use super::case::Case;
use super::data::{bytes, ints, units, wide};

const N: usize = 1 << 20;
const RANGE: i64 = 1 << 31;

pub fn products() -> Case {
    let (a, b) = (wide(1, N, -RANGE / 2, RANGE), wide(2, N, -RANGE / 2, RANGE));
    let c: Vec<i64> = (0..N).map(|i| a[i] * b[i] + i as i64).collect();
    Case::new().array(&[N], a).array(&[N], b).size(N).gives(&[N], c)
}

pub fn quotients() -> Case {
    let (a, b) = (wide(3, N, 0, 1 << 50), wide(4, N, 1 << 20, 1 << 20));
    let q: Vec<i64> = (0..N).map(|i| a[i] / b[i]).collect();
    let r: Vec<i64> = (0..N).map(|i| a[i] % b[i]).collect();
    Case::new().array(&[N], a).array(&[N], b).size(N).gives(&[N], q).gives(&[N], r)
}

pub fn powers() -> Case {
    let (n, m) = (N / 16, 1_000_003);
    let a = wide(5, n, 1, i64::from(m) - 1);
    let power = |&a: &i64| {
        let step = |(r, x): (i64, i64), _| (r * x % i64::from(m), x * x % i64::from(m));
        (0..12).fold((1, a), step).0
    };
    let y: Vec<i64> = a.iter().map(power).collect();
    Case::new().array(&[n], a).size(n).int(m).gives(&[n], y)
}

pub fn dot64() -> Case {
    let (a, b) = (wide(6, N, 0, 1 << 16), wide(7, N, 0, 1 << 16));
    let s: i64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
    Case::new().array(&[N], a).array(&[N], b).size(N).gives(&[1], vec![s])
}

pub fn fixed_point() -> Case {
    let (x, scale) = (ints(8, 4 * N, 1 << 30), 45_678);
    let y: Vec<i32> = x.iter().map(|&x| ((i64::from(x) * i64::from(scale)) >> 16) as i32).collect();
    Case::new().array(&[4 * N], x).size(4 * N).int(scale).gives(&[4 * N], y)
}

/// Elements by a function of numbers in double precision.
fn each(x: &[f32], f: impl Fn(f64) -> f64) -> Vec<f32> {
    x.iter().map(|&x| f(x.into()) as f32).collect()
}

pub fn polar() -> Case {
    let [x, y] = [9, 10].map(|seed| units(seed, N).into_iter().map(|x| x - 0.5).collect::<Vec<_>>());
    let both = || x.iter().zip(&y).map(|(&x, &y)| (f64::from(x), f64::from(y)));
    let r: Vec<f32> = both().map(|(x, y)| x.hypot(y) as f32).collect();
    let t: Vec<f32> = both().map(|(x, y)| y.atan2(x) as f32).collect();
    Case::new().array(&[N], x).array(&[N], y).size(N).gives(&[N], r).gives(&[N], t)
}

pub fn waves() -> Case {
    let (x, y) = (units(11, N), units(12, N));
    let wave = |(&x, &y): (&f32, &f32)| {
        let (x, y) = (f64::from(x), f64::from(y));
        ((10.0 * x).sin() * (7.0 * y).cos() + (0.5 * x).tan()) as f32
    };
    let z: Vec<f32> = x.iter().zip(&y).map(wave).collect();
    Case::new().array(&[N], x).array(&[N], y).size(N).gives(&[N], z)
}

pub fn gamma_curve() -> Case {
    let x = units(13, N);
    let curve = |x: f64| if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * x.powf(0.416_666_67) - 0.055 };
    let y = each(&x, curve);
    Case::new().array(&[N], x).size(N).gives(&[N], y)
}

pub fn activations() -> Case {
    let x = units(14, N);
    let y = each(&x, |x| (8.0 * x - 4.0).tanh());
    let z = each(&x, |x| (8.0 * x - 4.0).exp().ln_1p());
    Case::new().array(&[N], x).size(N).gives(&[N], y).gives(&[N], z)
}

/// Rounded numbers up to 471; where the last bits decide, neighbours.
pub fn angles() -> Case {
    let x = units(15, N);
    let y = each(&x, |x| (100.0 * ((2.0 * x - 1.0).asin() + (2.0 * x - 1.0).powi(2).acos())).round());
    Case::new().array(&[N], x).size(N).gives(&[N], y).within(1.01)
}

pub fn gray() -> Case {
    let (h, w) = (1024, 2048);
    let x = bytes(16, 3 * h * w);
    let one = |c: &[u8]| ((77 * i32::from(c[0]) + 150 * i32::from(c[1]) + 29 * i32::from(c[2])) >> 8) as u8;
    let y: Vec<u8> = x.chunks_exact(3).map(one).collect();
    Case::new().array(&[h, w, 3], x).size(h * w).gives(&[h, w], y)
}

const BYTES: usize = 8 << 20;

pub fn add_saturated() -> Case {
    let (a, b) = (bytes(17, BYTES), bytes(18, BYTES));
    let c: Vec<u8> = a.iter().zip(&b).map(|(a, b)| a.saturating_add(*b)).collect();
    Case::new().array(&[BYTES], a).array(&[BYTES], b).size(BYTES).gives(&[BYTES], c)
}

pub fn negative() -> Case {
    let x = bytes(19, BYTES);
    let y: Vec<u8> = x.iter().map(|x| 255 - x).collect();
    Case::new().array(&[BYTES], x).size(BYTES).gives(&[BYTES], y)
}

pub fn blend() -> Case {
    let (a, b, alpha) = (bytes(20, BYTES), bytes(21, BYTES), 77);
    let mixed = |(&a, &b): (&u8, &u8)| ((i32::from(a) * alpha + i32::from(b) * (256 - alpha)) >> 8) as u8;
    let c: Vec<u8> = a.iter().zip(&b).map(mixed).collect();
    Case::new().array(&[BYTES], a).array(&[BYTES], b).size(BYTES).int(alpha).gives(&[BYTES], c)
}

pub fn threshold() -> Case {
    let x = bytes(22, BYTES);
    let y: Vec<u8> = x.iter().map(|x| if *x > 99 { 255 } else { 0 }).collect();
    Case::new().array(&[BYTES], x).size(BYTES).int(99).gives(&[BYTES], y)
}

pub fn mix16() -> Case {
    let n = 4 << 20;
    let [a, b] = [23, 24].map(|seed| ints(seed, n, 30_000).into_iter().map(|x| x as i16 - 15_000).collect::<Vec<_>>());
    let y: Vec<i16> = a.iter().zip(&b).map(|(a, b)| (a + b) >> 1).collect();
    Case::new().array(&[n], a).array(&[n], b).size(n).gives(&[n], y)
}

const SIDE: usize = 2048;

fn table(seed: u64) -> Vec<f32> {
    units(seed, SIDE * SIDE)
}

fn columns(x: &[f32]) -> Vec<f32> {
    let column = |n| x.iter().skip(n).step_by(SIDE).map(|x| f64::from(*x)).sum::<f64>() as f32;
    (0..SIDE).map(column).collect()
}

pub fn column_sums() -> Case {
    let x = table(25);
    let y = columns(&x);
    Case::new().array(&[SIDE, SIDE], x).size(SIDE).size(SIDE).gives(&[1, SIDE], y)
}

pub fn row_sums() -> Case {
    let x = table(26);
    let y: Vec<f32> = x.chunks(SIDE).map(|row| row.iter().map(|x| f64::from(*x)).sum::<f64>() as f32).collect();
    Case::new().array(&[SIDE, SIDE], x).size(SIDE).size(SIDE).gives(&[SIDE, 1], y)
}

pub fn row_minima() -> Case {
    let x = table(27);
    let y: Vec<f32> = x.chunks(SIDE).map(|row| row.iter().copied().fold(f32::INFINITY, f32::min)).collect();
    Case::new().array(&[SIDE, SIDE], x).size(SIDE).size(SIDE).gives(&[SIDE, 1], y)
}

pub fn centred() -> Case {
    let x = table(28);
    let means: Vec<f32> = columns(&x).into_iter().map(|s| s / SIDE as f32).collect();
    let y: Vec<f32> = x.iter().enumerate().map(|(i, x)| x - means[i % SIDE]).collect();
    Case::new().array(&[SIDE, SIDE], x).size(SIDE).size(SIDE).gives(&[SIDE, SIDE], y)
}

pub fn distance() -> Case {
    let (a, b) = (table(29), table(30));
    let y = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    Case::new().array(&[SIDE, SIDE], a).array(&[SIDE, SIDE], b).size(SIDE * SIDE).gives(&[1], vec![y])
}
