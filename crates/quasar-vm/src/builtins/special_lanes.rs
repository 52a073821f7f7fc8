//! Special functions of many numbers at a time, in double precision. Coefficients are those of the polynomials of least error, by
//! Chebyshev series of 60 digits.

use quadra_kir::eval::elementary::{self, Near};
use quadra_numeric::wide::Job;

/// Numbers that are computed together.
const LANES: usize = 16;
type Lanes = [f64; LANES];

/// An element that is read as a double, and written as the nearest one.
pub use super::window::Real;

/// The function of every element, by the way that works for some arguments, or one by one by another.
pub struct Special<'a, T> {
    pub out: &'a mut [T],
    pub x: &'a [T],
    pub function: Function,
    pub exact: fn(f64) -> f64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Function {
    Erf,
    /// Of singles: far from 0 it has only their precision.
    Erfc,
    Gamma,
    LogGamma,
}

impl<T: Real> Job for Special<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        match self.function {
            Function::Erf => each(self, |_| true, erf),
            Function::Erfc => each(self, |_| true, erfc),
            // Longer products would be less exact than the other way.
            Function::Gamma => each(self, |x| x > 0.0 && x < 16.0, gamma),
            // Below 1 the result is a difference that vanishes there.
            Function::LogGamma => each(self, |x| (x > 0.0 && x < 0.9) || (1.0..1e300).contains(&x), log_gamma),
        }
    }
}

#[inline(always)]
fn each<T: Real>(of: Special<'_, T>, near: impl Fn(f64) -> bool, f: impl Fn(&Lanes) -> Lanes) {
    let Special { out, x, exact, .. } = of;
    let ((out, last), (x, rest)) = (out.as_chunks_mut::<LANES>(), x.as_chunks::<LANES>());
    let some = |out: &mut [T; LANES], x: &[T; LANES]| {
        let mut lanes = [0.0; LANES];
        lanes.iter_mut().zip(x).for_each(|(l, x)| *l = x.double());
        if lanes.iter().fold(true, |all, x| all & near(*x)) {
            let y = f(&lanes);
            out.iter_mut().zip(&y).for_each(|(o, y)| *o = T::near(*y));
        } else {
            out.iter_mut().zip(x).for_each(|(o, x)| *o = T::near(exact(x.double())));
        }
    };
    out.iter_mut().zip(x).for_each(|(out, x)| some(out, x));
    if let Some(first) = rest.first() {
        let (mut all, mut lanes) = ([T::default(); LANES], [*first; LANES]);
        lanes[..rest.len()].copy_from_slice(rest);
        some(&mut all, &lanes);
        last.copy_from_slice(&all[..last.len()]);
    }
}

#[inline(always)]
fn polynomial<const N: usize>(coefficients: &[f64; N], x: f64) -> f64 {
    let mut sum = coefficients[N - 1];
    for c in coefficients[..N - 1].iter().rev() {
        sum = sum * x + c;
    }
    sum
}

/// erf(x)/x by x^2, for x from -1 to 1.
const ERF: [f64; 12] = [
    std::f64::consts::FRAC_2_SQRT_PI,
    -0.37612638903183543,
    0.11283791670945006,
    -0.02686617064323777,
    0.0052239776071164225,
    -0.0008548325975389692,
    0.00012055294904839707,
    -1.492473690741966e-05,
    1.6447424703317362e-06,
    -1.6208483801871705e-07,
    1.3720064546777686e-08,
    -7.795898827002142e-10,
];

/// exp(x^2)*erfc(x) by (3/(x+3) - middle)/half, for x from 1 to 10.5.
const SCALED: [f64; 18] = [
    0.17012544171417476,
    0.1651576704633324,
    0.0650192021558928,
    0.02092562984257556,
    0.005301545850829971,
    0.0009692991283571621,
    9.496445455244504e-05,
    -6.575758893835362e-06,
    -3.5132007220658792e-06,
    -1.9847500398413346e-07,
    1.0016763067523127e-07,
    1.3614221993701365e-08,
    -3.326201474297038e-09,
    -6.359711095929242e-10,
    1.4103167961183347e-10,
    2.6894723210330914e-11,
    -6.003223241795184e-12,
    -8.914775620134152e-13,
];
const MIDDLE: f64 = 0.4861111111111111;
const HALF: f64 = 0.2638888888888889;

/// erf near 0, and erfc of the size of x further on.
#[inline(always)]
fn error_parts(x: f64) -> (f64, f64) {
    let size = if x.abs() < 1.0 {
        1.0
    } else if x.abs() > 10.5 {
        10.5
    } else {
        x.abs()
    };
    let scaled = polynomial(&SCALED, (3.0 / (size + 3.0) - MIDDLE) / HALF);
    let square = x * x;
    let far = elementary::exp(Near(-square)).0 * scaled;
    (x * polynomial(&ERF, if square > 1.0 { 1.0 } else { square }), far)
}

#[inline(always)]
fn erf(x: &Lanes) -> Lanes {
    let mut out = [0.0; LANES];
    for (o, x) in out.iter_mut().zip(x) {
        let (near, far) = error_parts(*x);
        *o = if x.abs() > 1.0 { (1.0 - far).copysign(*x) } else { near };
    }
    out
}

#[inline(always)]
fn erfc(x: &Lanes) -> Lanes {
    let mut out = [0.0; LANES];
    for (o, x) in out.iter_mut().zip(x) {
        let (near, far) = error_parts(*x);
        let beyond = if *x < 0.0 { 2.0 - far } else { far };
        *o = if x.abs() > 1.0 { beyond } else { 1.0 - near };
    }
    out
}

/// 1/gamma(1.5+t) for t from -1/2 to 1/2.
const RECIPROCAL: [f64; 16] = [
    std::f64::consts::FRAC_2_SQRT_PI,
    -0.0411745264452831,
    -0.5266544355255447,
    0.1751020260439345,
    0.050966860247723254,
    -0.042155169368530074,
    0.006612897826273515,
    0.002120731442396242,
    -0.001110730245918119,
    0.00015235762354157663,
    2.5355130539175535e-05,
    -1.3896829354060864e-05,
    2.1565577829270528e-06,
    5.80540732549556e-08,
    -9.002261834603835e-08,
    1.6830710938973937e-08,
];

/// By gamma(x+1) = x*gamma(x), for x above 0.
#[inline(always)]
fn gamma(x: &Lanes) -> Lanes {
    let (mut z, mut product) = (*x, [1.0; LANES]);
    while z.iter().fold(false, |any, z| any | (*z >= 2.0)) {
        for (z, p) in z.iter_mut().zip(&mut product) {
            let less = *z - 1.0;
            *p *= if *z >= 2.0 { less } else { 1.0 };
            *z = if *z >= 2.0 { less } else { *z };
        }
    }
    let mut out = product;
    for (o, z) in out.iter_mut().zip(&z) {
        let (divisor, z) = if *z < 1.0 { (*z, *z + 1.0) } else { (1.0, *z) };
        *o /= divisor * polynomial(&RECIPROCAL, z - 1.5);
    }
    out
}

/// log(gamma(1.5+t))/((t+1/2)*(t-1/2)) for t from -1/2 to 1/2.
const LOG_GAMMA: [f64; 21] = [
    0.4831289505409809,
    -0.14595989591430594,
    0.06291140107456485,
    -0.03130848750105327,
    0.01679709863121395,
    -0.009425622444829649,
    0.005446457842219553,
    -0.0032120742206072908,
    0.0019229162321227923,
    -0.001164411377219605,
    0.0007115202752051298,
    -0.00043803516132580534,
    0.00027130273545114005,
    -0.0001685717945035172,
    0.00010541715222185904,
    -6.793733027397047e-05,
    4.281642862794779e-05,
    -2.148770252062576e-05,
    1.3584275459130943e-05,
    -1.8527803997032962e-05,
    1.1820969445467145e-05,
];

/// The terms of Stirling's series: B(2k)/(2k*(2k-1)).
const STIRLING: [f64; 9] = [
    0.08333333333333333,
    -0.002777777777777778,
    0.0007936507936507937,
    -0.0005952380952380953,
    0.0008417508417508417,
    -0.0019175269175269176,
    0.00641025641025641,
    -0.029550653594771242,
    0.17964437236883057,
];
/// From here on the series is exact.
const FAR: f64 = 9.0;
/// log(2*pi)/2.
const HALF_LOG_TURN: f64 = 0.9189385332046728;

/// For x above 0: by gamma(x+1) = x*gamma(x) from 1 to 2, or by Stirling's series.
#[inline(always)]
fn log_gamma(x: &Lanes) -> Lanes {
    let (mut z, mut product) = (*x, [1.0; LANES]);
    z.iter_mut().for_each(|z| *z = if *z < FAR { *z } else { 1.5 });
    while z.iter().fold(false, |any, z| any | (*z >= 2.0)) {
        for (z, p) in z.iter_mut().zip(&mut product) {
            let less = *z - 1.0;
            *p *= if *z >= 2.0 { less } else { 1.0 };
            *z = if *z >= 2.0 { less } else { *z };
        }
    }
    let mut out = [0.0; LANES];
    for (((o, x), z), p) in out.iter_mut().zip(x).zip(&z).zip(&product) {
        let (below, far) = (*z < 1.0, *x >= FAR);
        let log = elementary::log(Near(if far {
            *x
        } else if below {
            *z
        } else {
            *p
        }))
        .0;
        let z = if below { *z + 1.0 } else { *z };
        let core = (z - 1.0) * (z - 2.0) * polynomial(&LOG_GAMMA, z - 1.5);
        let inverse = 1.0 / *x;
        let rest = inverse * polynomial(&STIRLING, inverse * inverse);
        let series = (*x - 0.5) * log - *x + (HALF_LOG_TURN + rest);
        *o = if far {
            series
        } else if below {
            core - log
        } else {
            core + log
        };
    }
    out
}
