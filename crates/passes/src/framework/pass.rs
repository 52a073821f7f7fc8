//! What a pass is, and how a list of them is run.

use quadra_base::{Diagnostic, bug};
use quadra_kir::{Caps, Kernel, check, print};
use std::time::{Duration, Instant};

/// What holds of a kernel between passes. A pass needs some of them and gives others; nothing takes one away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts(u8);

impl Facts {
    /// Nothing is promised.
    pub const NONE: Facts = Facts(0);
    /// There are no variables.
    pub const VALUES: Facts = Facts(1);
    /// Every access is `unchecked` or `guarded`.
    pub const IN_BOUNDS: Facts = Facts(2);
    /// The kernel is at SIMD level.
    pub const SIMD: Facts = Facts(4);
    /// Every pure operation is one that the target has.
    pub const LEGAL: Facts = Facts(16);

    /// Both.
    pub const fn and(self, other: Facts) -> Facts {
        Facts(self.0 | other.0)
    }

    /// Whether all of `other` hold.
    pub const fn has(self, other: Facts) -> bool {
        self.0 & other.0 == other.0
    }
}

/// What is known of the launches that a kernel is compiled for, and of the memory that a worker has at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launches {
    /// The most workers of a launch.
    pub most_workers: u32,
    /// Two parameters may be bound to one buffer though the kernel writes to it.
    pub alias: bool,
    /// Bit `i`: the buffer of parameter `i` is written in the launch by other means than the kernel shows, so that it must
    /// not be read through caches.
    pub uncached: u64,
    /// Rows of 16 words in which one worker may gather what it stores, before they go to memory together.
    pub staging_rows: u32,
    /// Registers for arrays shared by a group, a row of 16 words each.
    pub near_rows: u32,
    /// Rows of 16 elements of the ranges of an array that workers keep in registers while they add to it, all workers the same
    /// items; 0: atomic operations add in memory.
    pub range_rows: u32,
}

impl Default for Launches {
    fn default() -> Launches {
        Launches { most_workers: 12, alias: false, uncached: 0, staging_rows: 4, near_rows: 0, range_rows: 0 }
    }
}

/// What a pass may ask about its surroundings.
#[derive(Clone, Copy, Debug)]
pub struct PassCx<'a> {
    /// The target's capabilities.
    pub caps: &'a Caps,
    pub launches: Launches,
}

impl<'a> PassCx<'a> {
    /// For a target, and launches of which nothing special is known.
    pub fn new(caps: &'a Caps) -> PassCx<'a> {
        PassCx { caps, launches: Launches::default() }
    }
}

/// What a pass does: changes the kernel, or finds what is wrong with it.
pub type Run = fn(&mut Kernel, &PassCx<'_>) -> Result<(), Vec<Diagnostic>>;

/// A pass: one file of this crate.
#[derive(Clone, Copy)]
pub struct Pass {
    /// Name on the command line (`--after NAME`), in dumps, timings and the directory of its tests.
    pub name: &'static str,
    /// Effect in one line.
    pub about: &'static str,
    pub needs: Facts,
    pub gives: Facts,
    pub run: Run,
}

/// One pass that has been run.
pub struct Step<'a> {
    pub pass: &'static Pass,
    /// The kernel behind it.
    pub kernel: &'a Kernel,
    pub time: Duration,
}

/// How to run a list of passes.
pub struct Options<'a> {
    /// Stop behind the first pass with this name.
    pub after: Option<&'a str>,
    /// Check the kernel behind every pass; a finding is a bug of the pass.
    pub check: bool,
}

// Without debug assertions this is what a derived one would be; with them it is not.
#[allow(clippy::derivable_impls)]
impl Default for Options<'_> {
    fn default() -> Self {
        Options { after: None, check: cfg!(debug_assertions) }
    }
}

/// Runs `passes` in order and shows each step to `watch`. Gives false if `after` stopped it.
///
/// # Errors
/// What a pass finds wrong with the kernel.
///
/// # Panics
/// If a pass leaves a kernel that the checker refuses, with the pass's name, or lacks what it needs: bugs.
pub fn run(
    passes: &'static [Pass],
    kernel: &mut Kernel,
    cx: &PassCx<'_>,
    facts: &mut Facts,
    options: &Options<'_>,
    watch: &mut dyn FnMut(&Step<'_>),
) -> Result<bool, Vec<Diagnostic>> {
    for pass in passes {
        if !facts.has(pass.needs) {
            bug!("pass `{}` stands before what it needs", pass.name);
        }
        let start = Instant::now();
        (pass.run)(kernel, cx)?;
        *facts = facts.and(pass.gives);
        watch(&Step { pass, kernel, time: start.elapsed() });
        if options.check {
            verify(pass, kernel);
        }
        if options.after == Some(pass.name) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn verify(pass: &Pass, kernel: &Kernel) {
    if let Some(first) = check::kernel(kernel).first() {
        let text = print::kernel(kernel);
        bug!("pass `{}` broke kernel `{}`: {}\n{text}", pass.name, kernel.name, first.message);
    }
}
