//! Short rows and reductions within an item, borders by access modes.

use super::case::Case;
use super::data::units;

pub fn products8() -> Case {
    let n = 20_000;
    let (a, b) = (units(54, 64 * n), units(55, 64 * n));
    let mut c = Vec::with_capacity(64 * n);
    for (a, b) in a.chunks(64).zip(b.chunks(64)) {
        c.extend((0..64).map(|ij| (0..8).map(|k| a[ij / 8 * 8 + k] * b[k * 8 + ij % 8]).sum::<f32>()));
    }
    Case::new().array(&[n, 8, 8], a).array(&[n, 8, 8], b).size(n).gives(&[n, 8, 8], c)
}

pub fn block_sums() -> Case {
    let (h, w) = (2048, 2048);
    let x = units(56, h * w);
    let block = |m: usize, n: usize| (0..8).map(|k| x[(8 * m + k) * w + 8 * n..][..8].iter().sum::<f32>()).sum::<f32>();
    let y: Vec<f32> = (0..h / 8).flat_map(|m| (0..w / 8).map(move |n| (m, n))).map(|(m, n)| block(m, n)).collect();
    Case::new().array(&[h, w], x).size(h).size(w).gives(&[h / 8, w / 8], y)
}

pub fn nearest() -> Case {
    let (h, w) = (50_000, 64);
    let x = units(57, h * w);
    let place = |row: &[f32]| (1..w).fold(0, |best, n| if row[n] < row[best] { n } else { best });
    let at: Vec<i32> = x.chunks(w).map(|row| place(row) as i32).collect();
    Case::new().array(&[h, w], x).size(h).size(w).gives(&[h], at)
}

pub fn counts() -> Case {
    let n = 4 << 20;
    let x = units(58, n);
    let y: Vec<i32> = x.chunks(16).map(|c| c.iter().filter(|x| **x > 0.5).count() as i32).collect();
    Case::new().array(&[n], x).size(n).gives(&[n / 16], y)
}

pub fn unit_rows() -> Case {
    let (h, w) = (20_000, 100);
    let x = units(59, h * w);
    let norm = |row: &[f32]| row.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    let unit = |row: &[f32]| {
        let f = 1.0 / norm(row);
        row.iter().map(|x| (f64::from(*x) * f) as f32).collect::<Vec<_>>()
    };
    let y: Vec<f32> = x.chunks(w).flat_map(unit).collect();
    Case::new().array(&[h, w], x).size(h).size(w).gives(&[h, w], y)
}

pub fn softmax() -> Case {
    let (h, w) = (20_000, 32);
    let x: Vec<f32> = units(60, h * w).into_iter().map(|x| 6.0 * x).collect();
    let mut y = Vec::with_capacity(h * w);
    for row in x.chunks(w) {
        let sum: f64 = row.iter().map(|x| f64::from(*x).exp()).sum();
        y.extend(row.iter().map(|x| (f64::from(*x).exp() / sum) as f32));
    }
    Case::new().array(&[h, w], x).size(h).size(w).gives(&[h, w], y)
}

/// An image with its size.
struct Image<'a>(&'a [f32], i64, i64);

impl Image<'_> {
    /// A point whose place is brought inside by a function of place and size.
    fn at(&self, m: i64, n: i64, inside: impl Fn(i64, i64) -> i64) -> f32 {
        self.0[(inside(m, self.1) * self.2 + inside(n, self.2)) as usize]
    }

    fn each(&self, f: impl Fn(i64, i64) -> f32) -> Vec<f32> {
        (0..self.1 * self.2).map(|i| f(i / self.2, i % self.2)).collect()
    }
}

fn mirrored(i: i64, n: i64) -> i64 {
    if i < 0 { -i } else { i.min(2 * n - 2 - i) }
}

fn clamped(i: i64, n: i64) -> i64 {
    i.clamp(0, n - 1)
}

const H: usize = 1024;
const W: usize = 1024;

fn picture(seed: u64) -> Vec<f32> {
    units(seed, H * W)
}

fn case(x: Vec<f32>) -> Case {
    Case::new().array(&[H, W], x).size(H).size(W)
}

pub fn blur_mirror() -> Case {
    let x = picture(61);
    let image = Image(&x, H as i64, W as i64);
    let window = |m, n| (0..25).map(|k| image.at(m + k / 5 - 2, n + k % 5 - 2, mirrored)).sum::<f32>() * 0.04;
    let y = image.each(window);
    case(x).gives(&[H, W], y)
}

pub fn gradient_clamped() -> Case {
    let x = picture(62);
    let image = Image(&x, H as i64, W as i64);
    let y = image.each(|m, n| {
        let a = |k, l| image.at(m + k, n + l, clamped);
        let h = a(-1, 1) + 2.0 * a(0, 1) + a(1, 1) - a(-1, -1) - 2.0 * a(0, -1) - a(1, -1);
        let v = a(1, -1) + 2.0 * a(1, 0) + a(1, 1) - a(-1, -1) - 2.0 * a(-1, 0) - a(-1, 1);
        (h * h + v * v).sqrt()
    });
    case(x).gives(&[H, W], y)
}

pub fn laplace_circular() -> Case {
    let x = picture(63);
    let image = Image(&x, H as i64, W as i64);
    let y = image.each(|m, n| {
        let a = |k, l| image.at(m + k, n + l, |i, n| i.rem_euclid(n));
        a(-1, 0) + a(1, 0) + a(0, -1) + a(0, 1) - 4.0 * a(0, 0)
    });
    case(x).gives(&[H, W], y)
}

pub fn lift_mirror() -> Case {
    let n = 4 << 20;
    let x = units(64, n);
    let a = |i: i64| x[mirrored(i, n as i64) as usize];
    let lifted = |i| a(i) - 0.5 * (a(i - 1) + a(i + 1)) + 0.125 * (a(i - 3) + a(i + 3));
    let y: Vec<f32> = (0..n as i64).map(lifted).collect();
    Case::new().array(&[n], x).size(n).gives(&[n], y)
}

pub fn local_contrast() -> Case {
    let (x, t) = (picture(65), 0.5);
    let image = Image(&x, H as i64, W as i64);
    let y = image.each(|m, n| {
        let a = |k, l| image.at(m + k, n + l, clamped);
        let border = m == 0 || n == 0 || m == H as i64 - 1 || n == W as i64 - 1;
        match (border, a(0, 0) > t) {
            (true, _) => 0.0,
            (_, true) => a(0, 0) - 0.25 * (a(-1, 0) + a(1, 0) + a(0, -1) + a(0, 1)),
            (_, false) => a(0, 0) * 0.5,
        }
    });
    case(x).float(t).gives(&[H, W], y)
}

pub fn window() -> Case {
    let (x, r) = (picture(66), 3);
    let image = Image(&x, H as i64, W as i64);
    let y = image.each(|m, n| {
        let rows = (m - r).max(0)..=(m + r).min(H as i64 - 1);
        let columns = (n - r).max(0) as usize..=(n + r).min(W as i64 - 1) as usize;
        rows.map(|k| x[k as usize * W..][columns.clone()].iter().sum::<f32>()).sum()
    });
    case(x).int(r as i32).gives(&[H, W], y)
}
