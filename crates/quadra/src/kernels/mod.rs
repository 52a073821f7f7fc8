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

/// Makes the inputs, launches, compares the outputs with plain Rust and gives the launch's report.
pub type Run = fn(&dyn Device, qpus: u32) -> Result<Report, Diagnostic>;

/// A kernel's inputs of a certain size on a certain number of QPUs.
pub struct Workload {
    /// For example `192,000 vertices`.
    pub name: &'static str,
    pub qpus: u32,
    /// What QPULib needs for the same, where that was measured.
    pub qpulib: Option<QpulibFigures>,
    /// Seconds that the best public program took on a board at 250 MHz, where that was published.
    pub published_s: Option<f64>,
    /// How many times the workload is what `run` does: a part stands for the whole where every part takes the same
    /// instructions whatever the data.
    pub times: u32,
    /// Whether it takes more than a second on the emulator.
    pub large: bool,
    pub run: Run,
}

impl Workload {
    /// A workload with nothing to compare to.
    pub const fn new(name: &'static str, qpus: u32, run: Run) -> Workload {
        Workload { name, qpus, qpulib: None, published_s: None, times: 1, large: false, run }
    }

    /// With QPULib's words and slots for the same.
    pub const fn qpulib(self, static_words: u32, slots: u64) -> Workload {
        Workload { qpulib: Some(QpulibFigures { static_words, slots }), ..self }
    }

    /// With published seconds for the same.
    pub const fn published(self, seconds: f64) -> Workload {
        Workload { published_s: Some(seconds), ..self }
    }

    /// As many times what `run` does.
    pub const fn times(self, times: u32) -> Workload {
        Workload { times, ..self }
    }

    /// Left out of quick looks.
    pub const fn large(self) -> Workload {
        Workload { large: true, ..self }
    }
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
