//! Recurrences, compaction, histograms, many short steps.

use super::case::Case;
use super::data::{bytes, ints, units};

/// The sums of the cheapest ways down, row by row.
fn seams(e: &[f32], w: usize) -> Vec<f32> {
    let mut m = e[..w].to_vec();
    for (y, row) in e.chunks(w).enumerate().skip(1) {
        for (x, e) in row.iter().enumerate() {
            let before = &m[(y - 1) * w..y * w];
            let best = before[x.saturating_sub(1)..(x + 2).min(w)].iter().copied().fold(f32::INFINITY, f32::min);
            m.push(e + best);
        }
    }
    m
}

pub fn seam() -> Case {
    let (h, w) = (600, 800);
    let e = units(31, h * w);
    let m = seams(&e, w);
    Case::new().array(&[h, w], e).size(h).size(w).gives(&[h, w], m)
}

pub fn seam_row() -> Case {
    let (h, w) = (600, 800);
    let e = units(32, h * w);
    let row = seams(&e, w).split_off((h - 1) * w);
    Case::new().array(&[h, w], e).size(h).size(w).gives(&[w], row)
}

pub fn viterbi() -> Case {
    let (states, times) = (64, 400);
    let (a, b) = (units(33, states * states), units(34, times * states));
    let mut v = b[..states].to_vec();
    for t in 1..times {
        for s in 0..states {
            let way = |r: usize| v[(t - 1) * states + r] + a[r * states + s];
            let best = (0..states).map(way).fold(-1e30, f32::max);
            v.push(best + b[t * states + s]);
        }
    }
    Case::new()
        .array(&[states, states], a)
        .array(&[times, states], b)
        .size(states)
        .size(times)
        .gives(&[times, states], v)
}

pub fn edit_distance() -> Case {
    let (n, m) = (1000, 1000);
    let (a, b) = (ints(35, n, 4), ints(36, m, 4));
    let w = m + 1;
    let mut d: Vec<i32> = (0..=m as i32).collect();
    for i in 1..=n {
        d.push(i as i32);
        for j in 1..=m {
            let change = d[(i - 1) * w + j - 1] + i32::from(a[i - 1] != b[j - 1]);
            d.push(change.min(d[(i - 1) * w + j].min(d[i * w + j - 1]) + 1));
        }
    }
    Case::new().array(&[n], a).array(&[m], b).size(n).size(m).gives(&[n + 1, m + 1], d)
}

pub fn smooth_rows() -> Case {
    let (h, w, k) = (1024, 1024, 0.2);
    let x = units(37, h * w);
    let mut y = Vec::with_capacity(h * w);
    for row in x.chunks(w) {
        let mut s = row[0];
        y.extend(row.iter().map(|x| {
            s += k * (x - s);
            s
        }));
    }
    Case::new().array(&[h, w], x).size(h).size(w).float(k).gives(&[h, w], y)
}

/// A map that contracts, so that roundings do not grow.
pub fn logistic_map() -> Case {
    let (start, r, n) = (0.3, 2.8, 500_000);
    let next = |x: &f32| Some(r * x * (1.0 - x));
    let x: Vec<f32> = std::iter::successors(Some(start), next).take(n).collect();
    Case::new().float(start).float(r).int(n as i32).gives(&[n], x)
}

const N: usize = 2 << 20;

/// As long as `n`, with zeros at the end.
fn padded<T: Clone + Default>(mut v: Vec<T>, n: usize) -> Vec<T> {
    v.resize(n, T::default());
    v
}

pub fn positives() -> Case {
    let x = units(38, N);
    let y: Vec<f32> = x.iter().copied().filter(|x| *x > 0.5).collect();
    let many = y.len() as i32;
    Case::new().array(&[N], x).size(N).gives(&[N], padded(y, N)).gives(&[1], vec![many])
}

pub fn positions() -> Case {
    let x = units(39, N);
    let at: Vec<i32> = (0..N).filter(|&i| x[i] > 0.9).map(|i| i as i32).collect();
    let many = at.len() as i32;
    Case::new().array(&[N], x).size(N).gives(&[N], padded(at, N)).gives(&[1], vec![many])
}

pub fn masked() -> Case {
    let x = units(40, N);
    let y: Vec<f32> = x.iter().copied().filter(|x| *x > 0.5).collect();
    let n = y.len();
    Case::new().array(&[N], x).size(N).gives(&[n], y)
}

pub fn halves() -> Case {
    let x = units(41, N);
    let (low, high) = x.iter().partition::<Vec<f32>, _>(|x| **x < 0.5);
    Case::new().array(&[N], x).size(N).gives(&[N], padded(low, N)).gives(&[N], padded(high, N))
}

pub fn runs() -> Case {
    let x = ints(42, N, 3);
    let starts: Vec<i32> = (0..N).filter(|&i| i == 0 || x[i] != x[i - 1]).map(|i| i as i32).collect();
    let many = starts.len() as i32;
    Case::new().array(&[N], x).size(N).gives(&[N], padded(starts, N)).gives(&[1], vec![many])
}

pub fn counts16() -> Case {
    let x = ints(43, 4 * N, 65_536);
    let mut h = vec![0; 65_536];
    x.iter().for_each(|&x| h[x as usize] += 1);
    Case::new().array(&[4 * N], x).size(4 * N).gives(&[65_536], h)
}

pub fn weighted() -> Case {
    let (x, w) = (ints(44, 2 * N, 256), units(45, 2 * N));
    let mut h = vec![0.0f64; 256];
    x.iter().zip(&w).for_each(|(&x, &w)| h[x as usize] += f64::from(w));
    let h: Vec<f32> = h.into_iter().map(|x| x as f32).collect();
    Case::new().array(&[2 * N], x).array(&[2 * N], w).size(2 * N).gives(&[256], h).within(1e-3)
}

pub fn joint() -> Case {
    let (a, b) = (bytes(46, 2 * N), bytes(47, 2 * N));
    let mut h = vec![0; 65_536];
    a.iter().zip(&b).for_each(|(&a, &b)| h[256 * usize::from(a) + usize::from(b)] += 1);
    Case::new().array(&[2 * N], a).array(&[2 * N], b).size(2 * N).gives(&[256, 256], h)
}

pub fn clusters() -> Case {
    let (x, label) = (units(48, 2 * N), ints(49, N, 1000));
    let (mut sums, mut many) = (vec![0.0f64; 2000], vec![0; 1000]);
    for (x, &label) in x.chunks(2).zip(&label) {
        let at = label as usize;
        many[at] += 1;
        sums[2 * at] += f64::from(x[0]);
        sums[2 * at + 1] += f64::from(x[1]);
    }
    let sums: Vec<f32> = sums.into_iter().map(|x| x as f32).collect();
    let case = Case::new().array(&[N, 2], x).array(&[N], label).size(N);
    case.gives(&[1000, 2], sums).gives(&[1000], many).within(1e-3)
}

pub fn wave() -> Case {
    let (n, steps) = (2000, 2000);
    let start: Vec<f32> = (0..n).map(|i| (0.01 * i as f32).sin() * if i % 100 < 50 { 1.0 } else { 0.5 }).collect();
    let (mut u, mut before, mut next) = (start.clone(), start.clone(), vec![0.0; n]);
    for _ in 0..steps {
        for i in 1..n - 1 {
            next[i] = 2.0 * u[i] - before[i] + 0.25 * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
        }
        (before, u, next) = (u, next, before);
    }
    Case::new().array(&[n], start).size(n).int(steps).gives(&[n], u).within(1e-2)
}

pub fn life() -> Case {
    let (h, w, steps) = (128, 128, 500);
    let start = ints(50, h * w, 2);
    let (mut a, mut b) = (start.clone(), start.clone());
    for _ in 0..steps {
        for i in (1..h - 1).flat_map(|m| (m * w + 1)..(m * w + w - 1)) {
            let around = [i - w - 1, i - w, i - w + 1, i - 1, i + 1, i + w - 1, i + w, i + w + 1];
            let s: i32 = around.iter().map(|&k| a[k]).sum();
            b[i] = i32::from(s == 3 || s == 2 && a[i] == 1);
        }
        std::mem::swap(&mut a, &mut b);
    }
    Case::new().array(&[h, w], start).size(h).size(w).int(steps).gives(&[h, w], a)
}

pub fn jacobi() -> Case {
    let (n, steps) = (4000, 1000);
    let b: Vec<f32> = units(51, n).into_iter().map(|x| x - 0.5).collect();
    let (mut x, mut y) = (vec![0.0f32; n], vec![0.0f32; n]);
    for _ in 0..steps {
        for i in 1..n - 1 {
            y[i] = 0.5 * (b[i] + x[i - 1] + x[i + 1]);
        }
        x[1..n - 1].copy_from_slice(&y[1..n - 1]);
    }
    Case::new().array(&[n], b).size(n).int(steps).gives(&[n], x).within(1e-3)
}

pub fn bodies() -> Case {
    let (n, steps) = (512, 20);
    let start = units(52, n);
    let (mut x, mut v) = (start.clone(), vec![0.0f32; n]);
    for _ in 0..steps {
        let pull = |i: usize| {
            let one = |j: &f32| {
                let d = f64::from(j - x[i]);
                d / ((d * d + 0.01) * (d * d + 0.01).sqrt())
            };
            x.iter().map(one).sum::<f64>() as f32
        };
        let f: Vec<f32> = (0..n).map(pull).collect();
        for i in 0..n {
            v[i] += 0.000_01 * f[i];
            x[i] += 0.001 * v[i];
        }
    }
    Case::new().array(&[n], start).size(n).int(steps).gives(&[n], x).gives(&[n], v).within(1e-3)
}

pub fn doubling() -> Case {
    let n = 1 << 20;
    let x = units(53, n);
    let mut sum = 0.0f64;
    let y: Vec<f32> = x
        .iter()
        .map(|&x| {
            sum += f64::from(x);
            sum as f32
        })
        .collect();
    Case::new().array(&[n], x).size(n).gives(&[n], y)
}
