//! Fourier transforms of 1,024 complex points, in five passes of radix 4.

use super::{Shipped, Workload, check};
use quadra_base::Diagnostic;
use quadra_device::{Device, Report};
use quadra_dsl::prelude::*;

/// Points of a transform.
pub const POINTS: usize = 1024;

/// One pass of radix 4 in Stockham's order over `transforms` transforms, which lie one after the other, real and imaginary
/// parts apart: what four transforms of a quarter of the length gave becomes one of four times the length. `stride`, a power
/// of four, is `POINTS / 4` in the first pass and 1 in the last. `roots` holds the powers of the first root of unity, the
/// cosines and then the sines. Loads go anywhere, through the TMUs; stores are of whole vectors. The QPUs take 16 numbers of
/// each quarter in turn, of all transforms.
#[kernel]
pub fn fft_pass(
    transforms: Int,
    stride: Int,
    roots: Ptr<Float>,
    re: Ptr<Float>,
    im: Ptr<Float>,
    out_re: Ptr<Float>,
    out_im: Ptr<Float>,
) {
    let quarter = POINTS as i32 / 4;
    if transforms == 1 {
        // Everything is loaded ahead of its use, the roots, too.
        for start in range(me() << 4, quarter, num_qpus() << 4) {
            let (from, powers) = places(start, stride, roots);
            let x = from.map(|from| load(re + from, im + from));
            write(butterfly(x, powers.map(|p| load(p, p + POINTS as i32))), out_re + start, out_im + start);
        }
    } else {
        for start in range(me() << 4, quarter, num_qpus() << 4) {
            // The same for all transforms.
            let (from, powers) = places(start, stride, roots);
            let w = powers.map(|p| load(p, p + POINTS as i32));
            for first in range(0, transforms << 10, POINTS as i32) {
                let x = from.map(|from| load(re + (first + from), im + (first + from)));
                write(butterfly(x, w), out_re + (first + start), out_im + (first + start));
            }
        }
    }
}

/// Where the four inputs of the 16 numbers from `start` on lie, and the powers of the root, of which the first input needs none.
fn places(start: Int, stride: Int, roots: Ptr<Float>) -> ([Int; 4], [Ptr<Float>; 3]) {
    let j = start + index();
    let q = j & (stride - 1);
    let power = j - q;
    ([0, 1, 2, 3].map(|r| j * 4 - q * 3 + stride * r), [1, 2, 3].map(|r| roots + power * r))
}

/// Stores a vector of each quarter.
fn write(y: [Complex; 4], re: Ptr<Float>, im: Ptr<Float>) {
    for (r, y) in (0..).zip(y) {
        let to = POINTS as i32 / 4 * r;
        store(y.re, re + to);
        store(y.im, im + to);
    }
}

/// The four numbers that a butterfly makes of four, of which the last three are multiplied by roots first.
fn butterfly([x0, x1, x2, x3]: [Complex; 4], w: [Complex; 3]) -> [Complex; 4] {
    let (x1, x2, x3) = (x1 * w[0], x2 * w[1], x3 * w[2]);
    let (a, b) = (x0 + x2, x0 - x2);
    let (c, d) = (x1 + x3, x1 - x3);
    // b - i d and b + i d.
    [a + c, Complex::new(b.re + d.im, b.im - d.re), a - c, Complex::new(b.re - d.im, b.im + d.re)]
}

/// A complex number per lane.
fn load(re: Ptr<Float>, im: Ptr<Float>) -> Complex {
    gather(re);
    gather(im);
    Complex::new(received(), received())
}

/// Cosines and sines of the powers of the first root of unity, up to three quarters of the circle and more.
pub fn roots() -> Vec<f32> {
    let angle = |i: usize| -std::f64::consts::TAU * i as f64 / POINTS as f64;
    let cosines = (0..POINTS).map(|i| angle(i).cos() as f32);
    cosines.chain((0..POINTS).map(|i| angle(i).sin() as f32)).collect()
}

/// The transform in plain Rust with double precision, real and imaginary parts.
pub fn fft_in_rust(re: &[f64], im: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let n = re.len();
    if n == 1 {
        return (re.to_vec(), im.to_vec());
    }
    let half = |x: &[f64], odd: usize| -> Vec<f64> { x.iter().skip(odd).step_by(2).copied().collect() };
    let (er, ei) = fft_in_rust(&half(re, 0), &half(im, 0));
    let (or, oi) = fft_in_rust(&half(re, 1), &half(im, 1));
    let (mut out_re, mut out_im) = (vec![0.0; n], vec![0.0; n]);
    for k in 0..n / 2 {
        let (s, c) = (-std::f64::consts::TAU * k as f64 / n as f64).sin_cos();
        let (tr, ti) = (or[k] * c - oi[k] * s, or[k] * s + oi[k] * c);
        (out_re[k], out_im[k]) = (er[k] + tr, ei[k] + ti);
        (out_re[k + n / 2], out_im[k + n / 2]) = (er[k] - tr, ei[k] - ti);
    }
    (out_re, out_im)
}

const fn workload(qpus: u32) -> Workload {
    Workload::new("48 transforms of 1,024", qpus, |device, qpus| run(48, device, qpus)).large()
}

pub const FFT: Shipped = Shipped {
    name: "fft",
    about: "Fourier transforms of 1,024 points, one pass of radix 4",
    record: || fft_pass().record(),
    workloads: &[
        Workload::new("1 transform of 1,024", 1, |device, qpus| run(1, device, qpus)),
        workload(1),
        workload(2),
        workload(4),
        workload(12),
    ],
};

/// Transforms random points between -1 and 1 in five launches, checks the result, and gives the sum of the reports.
///
/// # Errors
/// What the device reports, or the first point that is wrong.
pub fn run(transforms: usize, device: &dyn Device, qpus: u32) -> Result<Report, Diagnostic> {
    let mut inputs = check::Inputs::new(4);
    let mut random = || -> Vec<f32> { (0..transforms * POINTS).map(|_| inputs.signed()).collect() };
    let (re, im) = (random(), random());
    let roots = Buffer::from(roots());
    let mut from = [Buffer::from(re.clone()), Buffer::from(im.clone())];
    let mut to = [Buffer::<f32>::new(re.len()), Buffer::<f32>::new(re.len())];
    let kernel = fft_pass().compile(device)?.qpus(qpus);
    let (mut report, mut stride) = (Report::default(), POINTS / 4);
    while stride > 0 {
        report += &kernel.call((transforms as i32, stride as i32, &roots, &from[0], &from[1], &to[0], &to[1]))?;
        std::mem::swap(&mut from, &mut to);
        stride /= 4;
    }
    let [got_re, got_im] = from.map(|b| b.to_vec());
    for t in 0..transforms {
        let part = |x: &[f32]| -> Vec<f64> { x[t * POINTS..][..POINTS].iter().map(|&v| f64::from(v)).collect() };
        let (want_re, want_im) = fft_in_rust(&part(&re), &part(&im));
        let single = |x: Vec<f64>| -> Vec<f32> { x.into_iter().map(|v| v as f32).collect() };
        // Sums grow to about 100; each of ten additions may err by one unit in their last place.
        check::floats("fft", &got_re[t * POINTS..][..POINTS], &single(want_re), 1e-4)?;
        check::floats("fft", &got_im[t * POINTS..][..POINTS], &single(want_im), 1e-4)?;
    }
    Ok(report)
}
