//! Random kernels, and the comparison of everything that can run them.
//!
//! The oracle is the interpreter of the SIMT level on the kernel as generated. The same memory must come out of the
//! interpreter behind every pass of the pipeline, in both arithmetics, and of the emulated QPUs.

pub mod random;
pub mod kernels;
mod statements;
pub mod shrink;
pub mod quasar;
pub mod devices;
mod differential;
mod host_and_device;
mod series;
mod long_loops;
mod odd_loops;
pub mod loops;
pub mod blocks;
mod calls;
pub mod reach;
pub mod rows;

pub use blocks::blocks;
pub use devices::{Report as EveryDevice, devices};
pub use differential::{Mismatch, Options, differential};
pub use kernels::{Case, Shape};
pub use loops::loops;
pub use reach::reach;
pub use rows::rows;
pub use series::Report as OnDevice;

use quadra_base::checked::{self, Guard};
use quadra_kir::print;
use rayon::prelude::*;

/// What a series of random kernels came to.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub kernels: usize,
    /// Kernels that the checker refuses; the generator should hardly make any.
    pub refused: usize,
    /// Instructions that the oracle ran.
    pub instructions: u64,
    pub failure: Option<Failure>,
}

/// The first kernel that went wrong.
#[derive(Clone, Debug)]
pub struct Failure {
    pub seed: u64,
    pub mismatch: Mismatch,
    /// The smallest kernel found that goes wrong in the same way, as text.
    pub text: String,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "seed {}: {}\n{}", self.seed, self.mismatch, self.text)
    }
}

/// Compares the kernels of `count` seeds from `seed` on, and stops at the first mismatch, which it shrinks.
pub fn kernels(seed: u64, count: u64, shape: Shape, options: &Options) -> Report {
    watch(seed);
    // A panic is a finding like any other; while a kernel is shrunk it may come a thousand times.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let report = compare_all(seed, count, shape, options);
    std::panic::set_hook(hook);
    report
}

/// Has proofs tested, and launches work between guard pages: at the end or the start of them, as the number says.
pub fn watch(number: u64) {
    watch_as(number, true);
}

/// The same, with proofs tested or trusted.
fn watch_as(number: u64, tested: bool) {
    checked::set(tested);
    checked::set_guard(if number.is_multiple_of(2) { Guard::End } else { Guard::Start });
}

fn compare_all(seed: u64, count: u64, shape: Shape, options: &Options) -> Report {
    let outcomes: Vec<Outcome> = (0..count)
        .into_par_iter()
        .map(|n| {
            let case = kernels::case(seed.wrapping_add(n), shape);
            match quadra_kir::check::kernel(&case.kernel).is_empty() {
                true => Some(differential(&case, options)),
                false => None,
            }
        })
        .collect();
    let mut report = Report::default();
    for (seed, outcome) in (0..count).map(|n| seed.wrapping_add(n)).zip(outcomes) {
        report.kernels += 1;
        match outcome {
            None => report.refused += 1,
            Some(Ok(instructions)) => report.instructions += instructions,
            Some(Err(mismatch)) => {
                report.failure = Some(shrunk(seed, mismatch, shape, options));
                return report;
            }
        }
    }
    report
}

/// What one kernel came to: nothing if the checker refuses it.
type Outcome = Option<Result<u64, Mismatch>>;

/// The smallest kernel that goes wrong in the same way as the one of this seed.
fn shrunk(seed: u64, mismatch: Mismatch, shape: Shape, options: &Options) -> Failure {
    let case = kernels::case(seed, shape);
    let with = |kernel: &quadra_kir::Kernel| Case { kernel: kernel.clone(), ..case.clone() };
    let small = shrink::kernel(&case.kernel, &mut |kernel| {
        differential(&with(kernel), options).is_err_and(|m| m.place == mismatch.place)
    });
    let mismatch = differential(&with(&small), options).err().unwrap_or(mismatch);
    Failure { seed, mismatch, text: print::kernel(&small) }
}
