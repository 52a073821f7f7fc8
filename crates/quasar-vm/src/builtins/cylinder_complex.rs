//! The Bessel function of the first kind of complex numbers.

use std::f64::consts::PI;

type Complex = [f64; 2];

fn times(a: Complex, b: Complex) -> Complex {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

fn plus(a: Complex, b: Complex) -> Complex {
    [a[0] + b[0], a[1] + b[1]]
}

fn scaled(a: Complex, s: f64) -> Complex {
    [a[0] * s, a[1] * s]
}

fn inverse(a: Complex) -> Complex {
    let d = a[0] * a[0] + a[1] * a[1];
    [a[0] / d, -a[1] / d]
}

fn exp(a: Complex) -> Complex {
    let size = a[0].exp();
    [size * a[1].cos(), size * a[1].sin()]
}

fn log(a: Complex) -> Complex {
    [a[0].hypot(a[1]).ln(), a[1].atan2(a[0])]
}

fn cos(a: Complex) -> Complex {
    [a[0].cos() * a[1].cosh(), -a[0].sin() * a[1].sinh()]
}

fn sin(a: Complex) -> Complex {
    [a[0].sin() * a[1].cosh(), a[0].cos() * a[1].sinh()]
}

/// The function of a real order.
pub fn bessel_j(order: f64, z: Complex) -> Complex {
    let whole = order == order.floor();
    if z[0].is_nan() || z[1].is_nan() || order.is_nan() {
        return [f64::NAN; 2];
    }
    if order < 0.0 && whole {
        return scaled(bessel_j(-order, z), if order % 2.0 == 0.0 { 1.0 } else { -1.0 });
    }
    let (size, high) = (z[0].hypot(z[1]), z[1].abs());
    if size == 0.0 {
        return [
            if order == 0.0 {
                1.0
            } else if order > 0.0 {
                0.0
            } else {
                f64::INFINITY
            },
            0.0,
        ];
    }
    // Where the terms of the series are not much larger than its sum.
    if size - high < 8.0 || size * size < 24.0 * (order.abs() + 1.0) {
        return series(order, z);
    }
    if z[0] < 0.0 {
        // Half a turn around 0, the way that does not cross the negative axis.
        let turn = if z[1] >= 0.0 { PI } else { -PI };
        let [c, s] = if whole { [if order % 2.0 == 0.0 { 1.0 } else { -1.0 }, 0.0] } else { exp([0.0, turn * order]) };
        return times([c, s], bessel_j(order, [-z[0], -z[1]]));
    }
    if size > 25.0_f64.max(order * order) { asymptotic(order, z) } else { integral(order, z) }
}

/// The power series.
fn series(order: f64, z: Complex) -> Complex {
    let half = scaled(z, 0.5);
    let square = scaled(times(half, half), -1.0);
    let (mut term, mut sum, mut k) = ([1.0, 0.0], [1.0, 0.0], 0.0);
    while k < 10_000.0 {
        k += 1.0;
        term = scaled(times(term, square), 1.0 / (k * (order + k)));
        sum = plus(sum, term);
        if term[0].hypot(term[1]) <= 1e-17 * sum[0].hypot(sum[1]) {
            break;
        }
    }
    let power = scaled(log(half), order);
    if order + 1.0 > 0.0 {
        return times(exp(plus(power, [-libm::lgamma(order + 1.0), 0.0])), sum);
    }
    scaled(times(exp(power), sum), 1.0 / libm::tgamma(order + 1.0))
}

/// Hankel's expansion for large numbers on the right.
fn asymptotic(order: f64, z: Complex) -> Complex {
    let (mu, over) = (4.0 * order * order, inverse(scaled(z, 8.0)));
    let (mut p, mut q, mut term) = ([1.0, 0.0], [0.0; 2], [1.0, 0.0]);
    let mut last = f64::INFINITY;
    for k in 1..200 {
        let odd = f64::from(2 * k - 1);
        let next = scaled(times(term, over), (mu - odd * odd) / f64::from(k));
        let size = next[0].hypot(next[1]);
        if size >= last || size < 1e-18 {
            break;
        }
        (term, last) = (next, size);
        let sign = if (k / 2) % 2 == 0 { 1.0 } else { -1.0 };
        match k % 2 {
            0 => p = plus(p, scaled(term, sign)),
            _ => q = plus(q, scaled(term, sign)),
        }
    }
    let angle = plus(z, [-(order / 2.0 + 0.25) * PI, 0.0]);
    let root = exp(scaled(log(inverse(scaled(z, PI / 2.0))), 0.5));
    times(root, plus(times(p, cos(angle)), scaled(times(q, sin(angle)), -1.0)))
}

/// Nodes and weights of Gauss and Legendre with eight places, on one side of the middle.
const NODES: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_48),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
];

fn summed(end: f64, panels: usize, f: impl Fn(f64) -> Complex) -> Complex {
    let half = end / panels as f64 / 2.0;
    let mut sum = [0.0; 2];
    for k in 0..panels {
        let middle = (2 * k + 1) as f64 * half;
        for (node, weight) in NODES {
            for at in [middle - half * node, middle + half * node] {
                sum = plus(sum, scaled(f(at), half * weight));
            }
        }
    }
    sum
}

/// Schläfli's integral, on the right.
fn integral(order: f64, z: Complex) -> Complex {
    let panels = 16 + (z[0].hypot(z[1]) + order.abs()) as usize;
    let around = summed(PI, panels, |t| cos(plus([order * t, 0.0], scaled(z, -t.sin()))));
    let mut total = scaled(around, 1.0 / PI);
    if order != order.floor() {
        let far = (50.0 / z[0]).asinh() + 1.0;
        let tail = summed(far, 64, |t| exp(plus(scaled(z, -t.sinh()), [-order * t, 0.0])));
        total = plus(total, scaled(tail, -(order * PI).sin() / PI));
    }
    total
}
