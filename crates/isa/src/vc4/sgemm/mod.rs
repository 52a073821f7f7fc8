//! The matrix product C = alpha A B + beta C written by hand for the QPU: three programs, the memory they run in, and what
//! they must compute.
//!
//! [`article`] is the program of an article by the author of py-videocore (its example `sgemm`): a block of 16 rows and 64
//! columns of C lives in the register files, columns of A come through the TMU, rows of B through the uniform stream, C
//! through VPM and DMA under the mutex. [`pipelined`] keeps the inner loop and overlaps the transfers of C with it.
//! [`broadcast`] reads both operands through the TMUs and spreads the scalars of A by rotation into r5. [`layout`] places
//! matrices, code and uniforms; [`reference`](mod@reference) computes what must come out, to the bit; [`random`] makes
//! numpy's random numbers, with which measurements on boards were made; [`report`] puts a run into figures.
//!
//! ```
//! use quadra_isa::vc4::{emu, sgemm, timing};
//! let plan = sgemm::Plan::new(sgemm::Version::Article, 32, 5, 128, sgemm::Split { a: 2, b: 2 });
//! let data = sgemm::Data::numpy(&plan, 0);
//! let done = sgemm::run(&plan, &data, emu::Config::default(), Some(&timing::Parameters::default()))?;
//! assert_eq!(done.c, sgemm::reference::truncating(&plan, &data));
//! let clocks = done.outcome.expect("timed").clocks;
//! assert!(plan.gflops(clocks, 250.0) > 0.1);
//! # Ok::<(), Box<quadra_base::Diagnostic>>(())
//! ```

pub mod layout;
mod step;
pub mod article;
pub mod pipelined;
pub mod broadcast;
pub mod reference;
pub mod random;
pub mod report;

use super::emu::{Config, Machine, Report, Thread};
use super::image;
use super::program::Program;
use super::timing::{self, Outcome, Parameters};
use layout::Layout;
use quadra_base::Diagnostic;
use serde::Serialize;

/// The programs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Version {
    /// Blocks of 16 x 64, B through uniforms, C under the mutex.
    Article,
    /// The same blocks, C loaded and stored beside the computation.
    Pipelined,
    /// Blocks of 16 x 48, both operands through the TMUs.
    Broadcast,
}

impl Version {
    /// All versions.
    pub const ALL: [Version; 3] = [Version::Article, Version::Pipelined, Version::Broadcast];

    /// Name in reports and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Version::Article => "article",
            Version::Pipelined => "pipelined",
            Version::Broadcast => "broadcast",
        }
    }

    /// The version with this name.
    pub fn from_name(name: &str) -> Option<Version> {
        Version::ALL.into_iter().find(|v| v.name() == name)
    }

    /// The division over 12 QPUs that is the fastest for the published shape: for the article's version measured on a
    /// board, for the others in the timing model.
    pub const fn best_split(self) -> Split {
        match self {
            Version::Article | Version::Pipelined => Split { a: 2, b: 6 },
            Version::Broadcast => Split { a: 6, b: 2 },
        }
    }

    /// Rows and columns of the block of C that a QPU holds.
    pub const fn block(self) -> (u32, u32) {
        match self {
            Version::Article | Version::Pipelined => (16, 64),
            Version::Broadcast => (16, 48),
        }
    }
}

/// How the work is divided: the rows of A (and C) into `a` parts, the columns of B (and C) into `b`, one QPU for each pair.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Split {
    pub a: u32,
    pub b: u32,
}

impl Split {
    /// Number of threads.
    pub const fn threads(self) -> u32 {
        self.a.saturating_mul(self.b)
    }

    /// All divisions over this many threads, A in few parts first.
    pub fn all(threads: u32) -> Vec<Split> {
        (1..=threads).filter(|a| threads.is_multiple_of(*a)).map(|a| Split { a, b: threads / a }).collect()
    }
}

/// What is to be computed, and how: A is `p` x `q`, B is `q` x `r`, C is `p` x `r`, all row by row.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Plan {
    pub version: Version,
    pub p: u32,
    pub q: u32,
    pub r: u32,
    pub split: Split,
    /// Whether lines of B are brought into the L2 cache by lookups of the TMU before the uniform stream reads them.
    pub prefetch: bool,
}

/// Matrices and factors.
#[derive(Clone, PartialEq, Debug)]
pub struct Data {
    pub a: Vec<f32>,
    pub b: Vec<f32>,
    pub c: Vec<f32>,
    pub alpha: f32,
    pub beta: f32,
}

/// What a run gives.
#[derive(Clone, PartialEq, Debug)]
pub struct Done {
    /// The result, `p` x `r`.
    pub c: Vec<f32>,
    pub report: Report,
    /// The simulated time, if it was asked for.
    pub outcome: Option<Outcome>,
}

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

impl Data {
    /// Standard normal A, B and C as numpy's `seed(seed)` and `randn` give them, in this order, rounded to 32 bits;
    /// alpha and beta 1.
    pub fn numpy(plan: &Plan, seed: u32) -> Data {
        let mut random = random::Random::new(seed);
        let mut matrix = |rows: u32, columns: u32| -> Vec<f32> {
            (0..rows as usize * columns as usize).map(|_| random.normal() as f32).collect()
        };
        let (a, b, c) = (matrix(plan.p, plan.q), matrix(plan.q, plan.r), matrix(plan.p, plan.r));
        Data { a, b, c, alpha: 1.0, beta: 1.0 }
    }
}

impl Plan {
    /// A plan without prefetching.
    pub const fn new(version: Version, p: u32, q: u32, r: u32, split: Split) -> Plan {
        Plan { version, p, q, r, split, prefetch: false }
    }

    /// The shape of the article's measurements: 96 x 363 by 363 x 3072.
    pub const fn published(version: Version, split: Split) -> Plan {
        Plan::new(version, 96, 363, 3072, split)
    }

    /// Floating-point operations as the article counts them: 2 p q r for the product, 3 p r for alpha, beta and their sum.
    pub fn operations(&self) -> u64 {
        let (p, q, r) = (u64::from(self.p), u64::from(self.q), u64::from(self.r));
        2 * p * q * r + 3 * p * r
    }

    /// Floating-point operations per nanosecond, if the product takes this many clocks.
    pub fn gflops(&self, clocks: u64, clock_mhz: f64) -> f64 {
        self.operations() as f64 * clock_mhz * 1e-3 / clocks.max(1) as f64
    }

    /// The blocks of C that a thread computes, as first row and first column, in the order in which it does.
    pub fn blocks(&self, thread: u32) -> Vec<(u32, u32)> {
        let (height, width) = self.version.block();
        let (i, j) = (thread / self.split.b, thread % self.split.b);
        let part = |n: u32, parts: u32, count: u32| n * count / parts..(n + 1) * count / parts;
        let rows = part(i, self.split.a, self.p / height);
        let columns = part(j, self.split.b, self.r / width);
        columns.flat_map(|c| rows.clone().map(move |r| (height * r, width * c))).collect()
    }

    /// Checks that the programs can compute this.
    ///
    /// # Errors
    /// `E0790` for a shape, split or size that they cannot.
    pub fn check(&self) -> Result<()> {
        let (height, width) = self.version.block();
        let wrong = |message: String| -> Result<()> { Err(Diagnostic::error("E0790", message).into()) };
        if self.p == 0 || !self.p.is_multiple_of(height) {
            return wrong(format!("{} rows of A are no multiple of {height}", self.p));
        }
        if self.r == 0 || !self.r.is_multiple_of(width) {
            return wrong(format!("{} columns of B are no multiple of {width}", self.r));
        }
        if !(4..=1 << 20).contains(&self.q) {
            return wrong(format!("{} columns of A are not between 4 and 1,048,576", self.q));
        }
        // The pitch of rows of C goes into a setup word.
        if self.r > 0x3fc0 {
            return wrong(format!("{} columns of B are more than 16,320", self.r));
        }
        if !(1..=12).contains(&self.split.threads()) {
            return wrong(format!("a split into {} x {} needs 1 to 12 threads", self.split.a, self.split.b));
        }
        if self.prefetch && self.version != Version::Article {
            return wrong("only the article's version can prefetch uniforms".into());
        }
        let [p, q, r] = [self.p, self.q, self.r].map(u128::from);
        if (p + r) * q + p * r > 1 << 28 {
            return wrong("the matrices together are larger than 1 GiB".into());
        }
        Ok(())
    }

    /// The program that all QPUs run.
    ///
    /// # Errors
    /// As [`Plan::check`].
    pub fn program(&self) -> Result<Program> {
        self.check()?;
        let built = match self.version {
            Version::Article => article::program(self),
            Version::Pipelined => pipelined::program(self),
            Version::Broadcast => broadcast::program(self),
        };
        Ok(built.unwrap_or_else(|e| quadra_base::bug!("the program does not fit its instructions: {e:?}")))
    }

    /// Memory with code, matrices and uniforms, and where the threads start.
    ///
    /// # Errors
    /// As [`Plan::check`], and `E0790` if the matrices have other sizes than the plan.
    pub fn machine(&self, data: &Data, config: Config) -> Result<(Machine, Vec<Thread>)> {
        let layout = Layout::new(self)?;
        let mut machine = Machine::new(config);
        for region in layout.regions(data)? {
            machine.add_region(region)?;
        }
        Ok((machine, layout.threads()))
    }

    /// The same as files for `quadra emulate` and `quadra profile`.
    ///
    /// # Errors
    /// As [`Plan::machine`].
    pub fn image(&self, data: &Data) -> Result<image::Loaded> {
        let layout = Layout::new(self)?;
        Ok(layout::image(&layout.regions(data)?, &layout.threads()))
    }

    /// C as a machine's memory holds it after a run.
    pub fn result(&self, machine: &Machine) -> Vec<f32> {
        let words = machine.memory().region("c").map_or(Vec::new(), |region| region.words());
        words.into_iter().map(f32::from_bits).collect()
    }
}

/// Computes a product on the emulator; with `timing`, in simulated time.
///
/// # Errors
/// As [`Plan::machine`], and what stops the program.
pub fn run(plan: &Plan, data: &Data, config: Config, timing: Option<&Parameters>) -> Result<Done> {
    let (mut machine, threads) = plan.machine(data, config)?;
    let (report, outcome) = match timing {
        None => (machine.run(&threads).map_err(|e| e.diagnostic())?, None),
        Some(params) => {
            let outcome = timing::run(&mut machine, &threads, params, None).map_err(|e| e.diagnostic())?;
            (outcome.report.clone(), Some(outcome))
        }
    };
    Ok(Done { c: plan.result(&machine), report, outcome })
}
