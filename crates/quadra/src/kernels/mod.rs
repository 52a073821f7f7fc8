//! The shipped kernels: each file holds a kernel written in Rust, the same computation in plain Rust, and the workloads
//! that the command line, the examples and the tests run.

pub mod hello;
pub mod gcd;
pub mod tri;
pub mod oet;
pub mod rot3d;
pub mod heat_map;
pub mod mandelbrot;
pub mod sgemm;
pub mod convolution;
pub mod reduce;
pub mod fft;
pub mod check;
mod shipped;

pub use shipped::{QpulibFigures, Run, Shipped, Workload};

use quadra_base::Diagnostic;

/// Every shipped kernel, in the order of the book.
pub const ALL: &[Shipped] = &[
    hello::HELLO,
    hello::ID,
    gcd::GCD,
    gcd::GCD_UNROLLED,
    tri::TRI,
    tri::TRI_FLOAT,
    tri::MULTI_TRI,
    oet::OET,
    hello::REQ_RECV,
    hello::PRINT,
    rot3d::V1,
    rot3d::V2,
    rot3d::V3,
    heat_map::HEAT_MAP,
    mandelbrot::MANDELBROT,
    sgemm::SGEMM,
    convolution::CONVOLUTION_3,
    convolution::CONVOLUTION_11,
    reduce::SUM,
    reduce::HISTOGRAM,
    fft::FFT,
    gcd::GCD_MANY,
];

/// The kernel called `name`.
///
/// # Errors
/// An unknown name; the message lists the known ones.
pub fn find(name: &str) -> Result<&'static Shipped, Diagnostic> {
    ALL.iter().find(|k| k.name == name).ok_or_else(|| {
        let names: Vec<&str> = ALL.iter().map(|k| k.name).collect();
        Diagnostic::error("E0801", format!("no shipped kernel is called `{name}`"))
            .help(format!("choose one of {}; `quadra kernels` describes them", names.join(", ")))
    })
}
