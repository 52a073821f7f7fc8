//! What is known of a shipped kernel.

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
