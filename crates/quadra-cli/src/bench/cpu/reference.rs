//! K1 to K12 in plain Rust, in double precision where the kernels add many terms.

use super::data;

/// K1: sums of 11 × 11 pixels, by running sums.
pub fn k1(a: &[f32]) -> Vec<f32> {
    let (height, width, edge) = data::K1;
    let pitch = 3 * width;
    let mut along = vec![0.0f64; a.len()];
    for y in 0..height {
        for x in 0..pitch {
            let taps = (-(edge as i64)..=edge as i64).map(|d| x as i64 + 3 * d);
            let inside = taps.filter(|&c| c >= 0 && c < pitch as i64);
            along[y * pitch + x] = inside.map(|c| f64::from(a[y * pitch + c as usize])).sum();
        }
    }
    let at = |y: usize, x: usize| -> f64 {
        (y.saturating_sub(edge)..(y + edge + 1).min(height)).map(|r| along[r * pitch + x]).sum()
    };
    (0..height).flat_map(|y| (0..pitch).map(move |x| (y, x))).map(|(y, x)| (at(y, x) / 121.0) as f32).collect()
}

/// K2.
pub fn k2(a: &[f32]) -> Vec<f32> {
    let hot = data::K2_HOT.map(f64::from);
    let moved = |(i, &x): (usize, &f32)| f64::from(x) + (hot[i % 3] - f64::from(x)) * f64::from(data::K2_T);
    a.iter().enumerate().map(moved).map(|x| x as f32).collect()
}

/// K3: all steps.
pub fn k3(start: &[f32]) -> Vec<f32> {
    let (n, steps) = data::K3;
    let (mut from, mut to) = (start.to_vec(), start.to_vec());
    for _ in 0..steps {
        for y in 1..n - 1 {
            for x in 1..n - 1 {
                let i = y * n + x;
                let above = from[i - n - 1] + from[i - n] + from[i - n + 1];
                let around = above + from[i - 1] + from[i + 1] + from[i + n - 1] + from[i + n] + from[i + n + 1];
                to[i] = from[i] - data::K3_K * (from[i] - around * 0.125);
            }
        }
        std::mem::swap(&mut from, &mut to);
    }
    from
}

/// K4: the first points, turned once.
pub fn k4(x: &[f32], y: &[f32], many: usize) -> (Vec<f32>, Vec<f32>) {
    let (cos, sin) = (data::K4_ANGLE.cos(), data::K4_ANGLE.sin());
    let points = || x.iter().zip(y).take(many);
    (points().map(|(a, b)| a * cos - b * sin).collect(), points().map(|(a, b)| a * sin + b * cos).collect())
}

/// K5.
pub fn k5(a: &[f32], b: &[f32], (m, k, n): (usize, usize, usize)) -> Vec<f32> {
    let mut c = vec![0.0f64; m * n];
    for i in 0..m {
        let row = &mut c[i * n..(i + 1) * n];
        for l in 0..k {
            let factor = f64::from(a[i * k + l]);
            row.iter_mut().zip(&b[l * n..(l + 1) * n]).for_each(|(c, &b)| *c += factor * f64::from(b));
        }
    }
    c.into_iter().map(|x| x as f32).collect()
}

/// K6.
pub fn k6(bytes: &[u8]) -> Vec<i32> {
    let mut bins = vec![0; 256];
    bytes.iter().for_each(|&b| bins[usize::from(b)] += 1);
    bins
}

/// K7.
pub fn k7(values: &[f32]) -> f64 {
    values.iter().map(|&x| f64::from(x)).sum()
}

/// K8.
pub fn k8() -> Vec<i32> {
    let (n, limit) = data::K8;
    let delta = 3.0 / n as f32;
    let point = |y: usize, x: usize| {
        let (re, im) = (-2.0 + delta * x as f32, -1.5 + delta * y as f32);
        let (mut zr, mut zi, mut count) = (0.0f32, 0.0f32, 0);
        while count < limit && zr * zr + zi * zi <= 4.0 {
            (zr, zi) = (zr * zr - zi * zi + re, 2.0 * zr * zi + im);
            count += 1;
        }
        count
    };
    (0..n).flat_map(|y| (0..n).map(move |x| point(y, x))).collect()
}

/// K9.
pub fn k9(p: &[i32], q: &[i32]) -> Vec<i32> {
    let gcd = |(&a, &b): (&i32, &i32)| {
        let (mut a, mut b) = (a, b);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    p.iter().zip(q).map(gcd).collect()
}

/// K10.
pub fn k10(a: &[f32]) -> Vec<f32> {
    let (n, space, tone) = data::K10;
    let (space, tone) = (-0.5 / f64::from(space).powi(2), -0.5 / f64::from(tone).powi(2));
    let at = |y: i64, x: i64| f64::from(a[y.clamp(0, n as i64 - 1) as usize * n + x.clamp(0, n as i64 - 1) as usize]);
    let point = |y: i64, x: i64| {
        let (mut sum, mut weights) = (0.0, 0.0);
        for dy in -2..3 {
            for dx in -2..3 {
                let d = at(y + dy, x + dx) - at(y, x);
                let weight = ((dx * dx + dy * dy) as f64 * space + d * d * tone).exp();
                sum += weight * at(y + dy, x + dx);
                weights += weight;
            }
        }
        (sum / weights) as f32
    };
    (0..n as i64).flat_map(|y| (0..n as i64).map(move |x| point(y, x))).collect()
}

/// K11.
pub fn k11(a: &[f32]) -> Vec<f32> {
    let n = data::K11.0 as i64;
    let taps = data::k11_taps().map(f64::from);
    let clamp = |i: i64| i.clamp(0, n - 1);
    let mut down = vec![0.0f64; a.len()];
    for y in 0..n {
        for (d, tap) in taps.iter().enumerate() {
            let row = clamp(y + d as i64 - 7) * n;
            for x in 0..n {
                down[(y * n + x) as usize] += tap * f64::from(a[(row + x) as usize]);
            }
        }
    }
    let along = |y: i64, x: i64| -> f64 {
        taps.iter().enumerate().map(|(d, tap)| tap * down[(y * n + clamp(x + d as i64 - 7)) as usize]).sum()
    };
    (0..n).flat_map(|y| (0..n).map(move |x| (y, x))).map(|(y, x)| along(y, x) as f32).collect()
}
