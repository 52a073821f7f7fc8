//! The Mandelbrot set: a loop whose lanes end at different times.

use super::{Shipped, Workload, check};
use quadra_base::Diagnostic;
use quadra_device::{Device, Report};
use quadra_dsl::prelude::*;
use quadra_kir::Arithmetic;

/// How many of at most `limit` steps of z ← z² + c stay inside the circle of radius 2, for `width` × `height` points from
/// (`left`, `top`) on, `delta` apart; `width` is a multiple of 16. The QPUs take rows in turn.
#[kernel]
pub fn mandelbrot(left: Float, top: Float, delta: Float, width: Int, height: Int, limit: Int, out: Ptr<Int>) {
    for y in range(me(), height, num_qpus()) {
        let im = top - y.to_float() * delta;
        for x in range(0, width, 16) {
            let c = Complex::new(left + (x + index()).to_float() * delta, im);
            let mut z = Complex::new(float(0.0), float(0.0));
            let mut n: Int = 0;
            while n < limit && z.mag_square() < 4.0 {
                z = z * z + c;
                n += 1;
            }
            out[y * width + x] = n;
        }
    }
}

/// The same in plain Rust, row-major.
pub fn mandelbrot_in_rust(left: f32, top: f32, delta: f32, width: usize, height: usize, limit: i32) -> Vec<i32> {
    let point = |x: usize, y: usize| {
        let (re, im) = (left + x as f32 * delta, top - y as f32 * delta);
        let (mut zr, mut zi, mut n) = (0.0f32, 0.0f32, 0);
        while n < limit && zr * zr + zi * zi < 4.0 {
            (zr, zi) = (zr * zr - zi * zi + re, zr * zi + zi * zr + im);
            n += 1;
        }
        n
    };
    (0..height).flat_map(|y| (0..width).map(move |x| point(x, y))).collect()
}

pub const MANDELBROT: Shipped = Shipped {
    name: "mandelbrot",
    about: "the Mandelbrot set, whose lanes stop at different times",
    record: || mandelbrot().record(),
    workloads: &[workload(1), workload(2), workload(4), workload(12)],
};

const fn workload(qpus: u32) -> Workload {
    Workload::new("64 x 64, 1,024 iterations", qpus, |device, qpus| run(64, 1024, device, qpus).map(|r| r.0))
}

/// Computes the set on `size` × `size` points (a multiple of 16), checks it, and gives the counts.
///
/// # Errors
/// What the device reports, or more than one point in fifty with another count than in plain Rust: near the border a count
/// depends on the last bit, and the QPU truncates where Rust rounds. A device that rounds must agree everywhere.
pub fn run(size: usize, limit: i32, device: &dyn Device, qpus: u32) -> Result<(Report, Vec<i32>), Diagnostic> {
    let delta = 3.0 / size as f32;
    let out = Buffer::<i32>::new(size * size);
    let kernel = mandelbrot().compile(device)?.qpus(qpus);
    let report = kernel.call((-2.25, 1.5, delta, size as i32, size as i32, limit, &out))?;
    let got = out.to_vec();
    let want = mandelbrot_in_rust(-2.25, 1.5, delta, size, size, limit);
    let differing = got.iter().zip(&want).filter(|(a, b)| a != b).count();
    if device.caps().arithmetic == Arithmetic::Nearest || differing * 50 > got.len() {
        check::ints("mandelbrot", &got, &want)?;
    }
    Ok((report, got))
}
