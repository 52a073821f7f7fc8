//! Incomplete gamma and beta functions, Bessel functions of any real order, and their like, in double precision.

use std::f64::consts::PI;
use std::sync::OnceLock;

/// Nodes and weights of Gauss's rule with 16 points on [-1,1], by Newton's method on the Legendre polynomial.
fn nodes() -> &'static [(f64, f64); 16] {
    static NODES: OnceLock<[(f64, f64); 16]> = OnceLock::new();
    NODES.get_or_init(|| {
        let n = 16.0;
        std::array::from_fn(|i| {
            let mut x = (PI * (i as f64 + 0.75) / (n + 0.5)).cos();
            let mut slope = 1.0;
            for _ in 0..50 {
                let (mut before, mut own) = (1.0, x);
                for k in 2..=16 {
                    let k = f64::from(k);
                    (before, own) = (own, ((2.0 * k - 1.0) * x * own - (k - 1.0) * before) / k);
                }
                slope = n * (x * own - before) / (x * x - 1.0);
                let step = own / slope;
                x -= step;
                if step.abs() < 1e-16 {
                    break;
                }
            }
            (x, 2.0 / ((1.0 - x * x) * slope * slope))
        })
    })
}

/// The integral of `f` from `a` to `b`, by parts of equal length.
fn integral(f: impl Fn(f64) -> f64, a: f64, b: f64, parts: usize) -> f64 {
    let half = (b - a) / parts as f64 / 2.0;
    let part = |k: usize| {
        let middle = a + (2 * k + 1) as f64 * half;
        nodes().iter().map(|(x, w)| w * f(middle + half * x)).sum::<f64>()
    };
    (0..parts).map(part).sum::<f64>() * half
}

/// How many parts an integral over half a turn needs for this order and place.
fn parts(v: f64, x: f64) -> usize {
    8 + ((v.abs() + x.abs()) / 4.0) as usize
}

/// From where on exp(v t - x sinh t) counts for nothing.
fn end(v: f64, x: f64) -> f64 {
    let mut t = 1.0;
    while x * f64::sinh(t) - v.abs() * t < 45.0 {
        t += 0.25;
    }
    t
}

/// The sum of (x/2)^(2k+v) / (k! gamma(k+v+1)) with terms of one sign (`sign` = 1) or of changing signs (-1).
fn series(v: f64, x: f64, sign: f64) -> f64 {
    let quarter = sign * x * x / 4.0;
    // A pole of gamma makes the first terms 0.
    let skip = if v < 0.0 && v == v.floor() { -v } else { 0.0 };
    let mut term = (2.0 * skip + v) * (x / 2.0).ln() - libm::lgamma(skip + 1.0);
    let (gamma, negative) = libm::lgamma_r(skip + v + 1.0);
    term = (term - gamma).exp() * f64::from(negative);
    if skip % 2.0 == 1.0 && sign < 0.0 {
        term = -term;
    }
    let (mut sum, mut k) = (0.0, skip);
    loop {
        sum += term;
        k += 1.0;
        term *= quarter / (k * (k + v));
        if term.abs() <= sum.abs() * 1e-17 && k > x || k > 5000.0 {
            return sum;
        }
    }
}

/// The Bessel function of the first kind, of order `v`. NaN where it is not real.
pub fn bessel_j(v: f64, x: f64) -> f64 {
    if v == v.round() && v.abs() <= 10_000.0 {
        return libm::jn(v as i32, x);
    }
    if x.is_nan() || v.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if x == 0.0 {
        return if v > 0.0 { 0.0 } else { f64::INFINITY * libm::lgamma_r(v + 1.0).1 as f64 };
    }
    if x * x < 16.0 * (v + 1.0).abs() || x < 4.0 {
        return series(v, x, -1.0);
    }
    let turn = integral(|t| (v * t - x * t.sin()).cos(), 0.0, PI, parts(v, x)) / PI;
    let t = end(v, x);
    let rest = integral(|t| (-x * t.sinh() - v * t).exp(), 0.0, t, parts(v, t * 8.0)) / PI;
    turn - (v * PI).sin() * rest
}

/// The Bessel function of the second kind, of order `v`, from 0 on.
pub fn bessel_y(v: f64, x: f64) -> f64 {
    if x.is_nan() || v.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if v == v.round() && v.abs() <= 10_000.0 {
        return libm::yn(v as i32, x);
    }
    let turn = integral(|t| (x * t.sin() - v * t).sin(), 0.0, PI, parts(v, x)) / PI;
    let (t, turned) = (end(v, x), (v * PI).cos());
    let rest = |t: f64| {
        let fall = -x * t.sinh();
        (v * t + fall).exp() + turned * (fall - v * t).exp()
    };
    turn - integral(rest, 0.0, t, parts(v, t * 8.0)) / PI
}

/// The modified Bessel function of the first kind, of order `v`.
pub fn bessel_i(v: f64, x: f64) -> f64 {
    let whole = v == v.round();
    if x.is_nan() || v.is_nan() || x < 0.0 && !whole {
        return f64::NAN;
    }
    if x < 0.0 {
        return if v % 2.0 == 0.0 { bessel_i(v, -x) } else { -bessel_i(v, -x) };
    }
    match x {
        0.0 if v == 0.0 => 1.0,
        0.0 if v > 0.0 || whole => 0.0,
        _ if x > 720.0 => f64::INFINITY,
        _ => series(v, x, 1.0),
    }
}

/// The modified Bessel function of the second kind, of order `v`, from 0 on.
pub fn bessel_k(v: f64, x: f64) -> f64 {
    if x.is_nan() || v.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if x == 0.0 {
        return f64::INFINITY;
    }
    let v = v.abs();
    let fall = |t: f64| ((v * t - x * t.cosh()).exp() + (-v * t - x * t.cosh()).exp()) / 2.0;
    let t = end(v, x);
    integral(fall, 0.0, t, parts(v, t * 8.0))
}

/// The share of the gamma function of `a` that the integral up to `x` makes; with `upper`, the rest of it.
pub fn gamma_share(x: f64, a: f64, upper: bool) -> f64 {
    if x.is_nan() || a.is_nan() || x < 0.0 || a < 0.0 {
        return f64::NAN;
    }
    let chosen = |lower: f64, rest: f64| if upper { rest } else { lower };
    if a == 0.0 || x == f64::INFINITY {
        return chosen(1.0, 0.0);
    }
    if x == 0.0 {
        return chosen(0.0, 1.0);
    }
    let front = (a * x.ln() - x - libm::lgamma(a)).exp();
    if x < a + 1.0 {
        let (mut term, mut sum, mut k) = (1.0 / a, 1.0 / a, a);
        while term > sum * 1e-17 {
            k += 1.0;
            term *= x / k;
            sum += term;
        }
        let lower = (front * sum).min(1.0);
        return chosen(lower, 1.0 - lower);
    }
    let step = |k: f64| (k * (a - k), x - a + 2.0 * k + 1.0);
    let rest = front / fraction(x - a + 1.0, step);
    chosen(1.0 - rest, rest)
}

/// The continued fraction b + n1/(d1 + n2/(d2 + …)) whose parts `step` gives from 1 on.
fn fraction(b: f64, step: impl Fn(f64) -> (f64, f64)) -> f64 {
    let tiny = 1e-300;
    let mut value = if b == 0.0 { tiny } else { b };
    let (mut c, mut d) = (value, 0.0);
    for k in 1..20_000 {
        let (numerator, denominator) = step(f64::from(k));
        d = denominator + numerator * d;
        c = denominator + numerator / c;
        d = 1.0 / if d == 0.0 { tiny } else { d };
        c = if c == 0.0 { tiny } else { c };
        value *= c * d;
        if (c * d - 1.0).abs() < 1e-16 {
            break;
        }
    }
    value
}

/// The share of the beta function of `a` and `b` that the integral up to `x` makes.
pub fn beta_share(x: f64, a: f64, b: f64) -> f64 {
    let positive = |v: f64| v > 0.0;
    if !(0.0..=1.0).contains(&x) || !positive(a) || !positive(b) {
        return f64::NAN;
    }
    if x == 0.0 || x == 1.0 {
        return x;
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta_share(1.0 - x, b, a);
    }
    let front = a * x.ln() + b * (-x).ln_1p() - libm::lgamma(a) - libm::lgamma(b) + libm::lgamma(a + b);
    let step = |k: f64| {
        let m = (k / 2.0).floor();
        let numerator = match k % 2.0 == 0.0 {
            true => m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            false => -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        };
        (numerator, 1.0)
    };
    front.exp() / a / fraction(1.0, step)
}

/// exp(x²) times the complementary error function.
pub fn scaled_erfc(x: f64) -> f64 {
    if x < 5.0 {
        return (x * x).exp() * libm::erfc(x);
    }
    1.0 / (PI.sqrt() * fraction(x, |k| (k / 2.0, x)))
}

/// The number whose complementary error function is `y`.
pub fn inverse_erfc(y: f64) -> f64 {
    match y {
        0.0 => return f64::INFINITY,
        2.0 => return f64::NEG_INFINITY,
        _ if !(0.0..=2.0).contains(&y) => return f64::NAN,
        _ if y > 1.0 => return -inverse_erfc(2.0 - y),
        _ => {}
    }
    let mut x = if y > 0.1 { (1.0 - y) * PI.sqrt() / 2.0 } else { (-(y * PI.sqrt() * (-y.ln()).sqrt()).ln()).sqrt() };
    for _ in 0..60 {
        // Halley's step; the ratio is taken in the scaled function, which does not vanish.
        let off = (scaled_erfc(x) - y * (x * x).exp()) * PI.sqrt() / 2.0;
        let step = off / (1.0 + x * off);
        x += step;
        if step.abs() < 1e-16 * x.abs().max(1e-300) {
            break;
        }
    }
    x
}

/// The derivative of the logarithm of the gamma function.
pub fn digamma(x: f64) -> f64 {
    if x <= 0.0 && x == x.floor() {
        return f64::NEG_INFINITY;
    }
    if x < 0.0 {
        return digamma(1.0 - x) - PI / (PI * x).tan();
    }
    let (mut x, mut sum) = (x, 0.0);
    while x < 10.0 {
        sum -= 1.0 / x;
        x += 1.0;
    }
    let s = 1.0 / (x * x);
    // Bernoulli's numbers divided by their places.
    let tail = [1.0 / 12.0, -1.0 / 120.0, 1.0 / 252.0, -1.0 / 240.0, 1.0 / 132.0, -691.0 / 32760.0, 1.0 / 12.0];
    sum + x.ln() - 0.5 / x - tail.iter().rev().fold(0.0, |t, c| (t + c) * s)
}
