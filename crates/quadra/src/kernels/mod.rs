//! The shipped kernels: each file holds a kernel written in Rust, the same computation in plain Rust, and the workloads
//! that the command line, the examples and the tests run.

pub mod hello;
pub mod gcd;
pub mod tri;
pub mod oet;
pub mod rot3d;
pub mod heat_map;
pub mod mandelbrot;
pub mod check;

use quadra_base::Diagnostic;
use quadra_device::{Device, Report};
use quadra_kir::Kernel;

/// A shipped kernel.
pub struct Shipped {
    /// What `quadra compile NAME` calls it.
    pub name: &'static str,
    /// One line.
    pub about: &'static str,
    /// Records the kernel.
    pub record: fn() -> Result<Kernel, Vec<Diagnostic>>,
    pub workloads: &'static [Workload],
}

/// A kernel's inputs of a certain size on a certain number of QPUs.
pub struct Workload {
    /// For example `192,000 vertices`.
    pub name: &'static str,
    pub qpus: u32,
    /// What QPULib needs for the same, where that was measured.
    pub qpulib: Option<QpulibFigures>,
    /// Makes the inputs, launches, compares the outputs with plain Rust and gives the launch's report.
    pub run: fn(&dyn Device, qpus: u32) -> Result<Report, Diagnostic>,
}

/// Measured on QPULib's own code for the same workload: words of the program and issue slots executed by all QPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QpulibFigures {
    pub static_words: u32,
    pub slots: u64,
}

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
