//! `quadra fuzz`.

use super::common::CliResult;
use super::fuzz_parts;
use crate::json;
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use quadra_base::Diagnostic;
use quadra_tests::fuzz::{self, Options, Shape};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Runs random kernels in every way there is and compares the results bit for bit; shrinks the first that differs.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  quadra fuzz kir --count 10000           interpreter, behind every pass, emulated words
  quadra fuzz qpu --seed 7 --count 1000   larger kernels; only the emulated words against the interpreter
  quadra fuzz qpu --count 1000 -O2        words of one optimisation level
  quadra fuzz devices --count 10000       groups, barriers, side effects and indices outside, on all devices
  quadra fuzz loops --count 10000         random Quasar loops: serial, and as kernels on a device
  quadra fuzz rows --device cpu           random Quasar loops along rows, with proofs tested and trusted
  quadra fuzz blocks --device cpu         random Quasar kernels with shared memory and barriers
  quadra fuzz reach --device cpu          random Quasar kernels that try to leave their arrays
  quadra fuzz quasar --count 10000        random Quasar programs; none may panic or hang
  quadra fuzz faults --count 1000         refused memory, full disks and kills in five programs; none may abort or break a file

A kernel that differs is printed at its smallest; the exit status is then 1. The same seed gives the same kernels.")]
pub struct Args {
    /// What is compared.
    what: What,
    /// Seed of the first kernel; the next ones follow.
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Number of kernels.
    #[arg(long, default_value_t = 1000)]
    pub(super) count: u64,
    /// Optimisation level of the words; all of them without it.
    #[arg(short = 'O', value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(0..=2))]
    level: Option<u8>,
    /// For `loops`, `rows`, `blocks` and `reach`: the device that runs the kernels.
    #[arg(long, default_value = "interp")]
    pub(super) device: String,
    /// Stop after this many seconds, and say how many kernels there were (all but `faults`).
    #[arg(long, value_name = "SECONDS")]
    limit: Option<u64>,
    /// In this process, and not in one for each core.
    #[arg(long, hide = true)]
    pub(super) alone: bool,
    /// Print the outcome as JSON: `{what, seed, kernels, refused, instructions, seconds, failure}`.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// The interpreter, the interpreter behind every pass in both arithmetics, and the emulated words.
    Kir,
    /// The emulated words of larger kernels against the interpreter.
    Qpu,
    /// Kernels with barriers, side effects in conditions and indices outside, on all devices that are here.
    Devices,
    /// Random Quasar loops, serially and as kernels.
    Loops,
    /// Random Quasar loops along rows of matrices, in checked mode and without.
    Rows,
    /// Random Quasar kernels with shared memory and barriers, item by item and as blocks.
    Blocks,
    /// Random Quasar kernels that try to leave their arrays.
    Reach,
    /// Quasar programs, well formed and mutated, on the host: none may panic or hang.
    Quasar,
    /// Five Quasar programs with each of the first blocks of memory refused, with each write failing, and killed at random.
    Faults,
}

/// Kernels that are dealt to the processor's cores at once.
const BATCH: u64 = 200;
/// Seconds between two lines about the progress where no terminal shows a bar.
const LINE_SECONDS: u64 = 15;

/// What watches a long run: the bar or its stand-in, the time limit, and Ctrl-C.
pub(super) struct Watch {
    bar: ProgressBar,
    started: Instant,
    limit: Option<Duration>,
    interrupted: Arc<AtomicBool>,
    /// Seconds after the start at which the next line is due.
    next_line: AtomicU64,
}

impl Watch {
    /// Of as many `things` ("kernels") as were asked for.
    pub(super) fn new(args: &Args, things: &str) -> Watch {
        let style =
            ProgressStyle::with_template(&format!("{{bar:40}} {{pos}}/{{len}} {things}, {{elapsed}}, {{eta}} left"));
        // Hidden by the library unless a terminal watches.
        let bar = ProgressBar::new(args.count).with_style(style.expect("the template is well-formed"));
        let interrupted = Arc::new(AtomicBool::new(false));
        // The first Ctrl-C ends the run with its count; where no handler can be set, it ends the process.
        let _ = signal_hook::flag::register(signal_hook::consts::SIGINT, interrupted.clone());
        let limit = args.limit.map(Duration::from_secs);
        Watch { bar, started: Instant::now(), limit, interrupted, next_line: AtomicU64::new(LINE_SECONDS) }
    }

    /// After `step` more.
    pub(super) fn more(&self, step: u64) {
        self.bar.inc(step);
        let elapsed = self.started.elapsed().as_secs();
        let due = self.next_line.load(Ordering::Relaxed);
        if self.bar.is_hidden() && elapsed >= due {
            let next = elapsed + LINE_SECONDS;
            // One of the threads that come here at once says it.
            if self.next_line.compare_exchange(due, next, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                let (done, total) = (self.bar.position(), self.bar.length().unwrap_or(0));
                eprintln!("{done} of {total} agree after {elapsed} s");
            }
        }
    }

    pub(super) fn stopped(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed) || self.limit.is_some_and(|limit| self.started.elapsed() >= limit)
    }

    /// All programs of a seed's series, at most `step` at a time, until one goes wrong or somebody ends the run: `run` gets the first seed
    /// and how many there are from it on, and says whether all went well.
    pub(super) fn series(&self, args: &Args, step: u64, mut run: impl FnMut(u64, u64) -> bool) {
        let mut done = 0;
        while done < args.count && !self.stopped() {
            let count = step.min(args.count - done);
            let well = run(args.seed.wrapping_add(done), count);
            done += count;
            self.more(count);
            if !well {
                break;
            }
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Runs programs in which things go wrong.
fn faults(args: &Args) -> CliResult {
    let exe = std::env::current_exe()
        .map_err(|e| vec![Diagnostic::error("", format!("the command cannot find itself: {e}"))])?;
    let report = crate::faults::run(&exe, args.seed, args.count);
    println!(
        "{} runs to their result, {} to an error, {} killed from seed {}: {}",
        report.results,
        report.errors,
        report.killed,
        args.seed,
        if report.failure.is_some() { "one goes wrong" } else { "no abort, no broken file" }
    );
    report.failure.map_or(Ok(()), |why| Err(vec![Diagnostic::error("", why)]))
}

/// Runs random Quasar programs.
fn quasar(args: &Args) -> CliResult {
    let mut total = fuzz::quasar::Report::default();
    Watch::new(args, "programs").series(args, 500, |seed, count| {
        let report = fuzz::quasar::programs(seed, count);
        total.programs += count;
        total.outcomes.iter_mut().zip(report.outcomes).for_each(|(t, n)| *t += n);
        total.failure = report.failure;
        total.failure.is_none()
    });
    let [succeed, fail, refused] = total.outcomes;
    if args.json {
        let failure = total.failure.as_ref().map(ToString::to_string);
        let outcome = serde_json::json!({
            "what": "quasar",
            "seed": args.seed,
            "programs": total.programs,
            "succeed": succeed,
            "fail": fail,
            "refused": refused,
            "failure": failure,
        });
        println!("{}", json::line(outcome));
    } else {
        println!(
            "{} programs from seed {}: {succeed} run to their end, {fail} stop with an error, {refused} do not compile, {}",
            total.programs,
            args.seed,
            if total.failure.is_some() { "one goes wrong" } else { "no panic, no hang" }
        );
    }
    match total.failure {
        None => Ok(()),
        Some(failure) => {
            let d = Diagnostic::error("E0803", format!("a random program brings the interpreter down: {failure}"));
            Err(vec![d.help("this is a bug in Quadra; please report the program above")])
        }
    }
}

/// Runs random kernels on all devices.
fn devices(args: &Args) -> CliResult {
    let mut total = fuzz::EveryDevice::default();
    Watch::new(args, "kernels").series(args, BATCH, |seed, count| {
        let report = fuzz::devices(seed, count);
        total.kernels += report.kernels;
        total.outside += report.outside;
        total.unused += report.unused;
        total.grouped += report.grouped;
        total.failure = report.failure;
        total.failure.is_none()
    });
    if args.json {
        let outcome = serde_json::json!({
            "what": "devices",
            "seed": args.seed,
            "kernels": total.kernels,
            "outside": total.outside,
            "unused": total.unused,
            "grouped": total.grouped,
            "failure": total.failure,
        });
        println!("{}", json::line(outcome));
    } else {
        println!(
            "{} kernels from seed {}: {} with barriers, {} stopped by every device for an access outside, {}",
            total.kernels,
            args.seed,
            total.grouped,
            total.outside,
            if total.failure.is_some() { "one differs" } else { "all agree" }
        );
    }
    match total.failure {
        None => Ok(()),
        Some(failure) => {
            let d = Diagnostic::error("E0801", format!("a random kernel is not the same on every device: {failure}"));
            Err(vec![d.help("this is a bug in Quadra; please report the kernel above")])
        }
    }
}

pub fn run(args: &Args) -> CliResult {
    let levels = args.level.map_or(vec![0, 1, 2], |level| vec![level]);
    let (shape, options) = match args.what {
        What::Loops => return fuzz_parts::run(args, "loops", fuzz::loops),
        What::Rows => return fuzz_parts::run(args, "rows", fuzz::rows),
        What::Blocks => return fuzz_parts::run(args, "blocks", fuzz::blocks),
        What::Reach => return fuzz_parts::run(args, "reach", fuzz::reach),
        What::Quasar => return quasar(args),
        What::Faults => return faults(args),
        What::Devices => return devices(args),
        What::Kir => (Shape::default(), Options { levels, ..Options::default() }),
        What::Qpu => {
            (Shape { length: 30, depth: 4, ..Shape::default() }, Options { levels, passes: false, check: false })
        }
    };
    let watch = Watch::new(args, "kernels");
    let mut total = fuzz::Report::default();
    watch.series(args, BATCH, |seed, count| {
        let report = fuzz::kernels(seed, count, shape, &options);
        total.kernels += report.kernels;
        total.refused += report.refused;
        total.instructions += report.instructions;
        total.failure = report.failure;
        total.failure.is_none()
    });
    let (seconds, stopped) = (watch.started.elapsed().as_secs_f64(), watch.stopped());
    drop(watch);
    if args.json {
        let failure = total.failure.as_ref().map(ToString::to_string);
        let outcome = serde_json::json!({
            "what": if args.what == What::Kir { "kir" } else { "qpu" },
            "seed": args.seed,
            "kernels": total.kernels,
            "refused": total.refused,
            "instructions": total.instructions,
            "seconds": seconds,
            "failure": failure,
        });
        println!("{}", json::line(outcome));
    } else {
        println!(
            "{} kernels from seed {} in {seconds:.0} s{}: {} refused by the checker, {} instructions interpreted, {}",
            total.kernels,
            args.seed,
            if stopped && total.failure.is_none() { ", stopped early" } else { "" },
            total.refused,
            total.instructions,
            if total.failure.is_some() { "one differs" } else { "all agree" }
        );
    }
    differs(total.failure)
}

/// The error of a kernel that differs.
fn differs(failure: Option<fuzz::Failure>) -> CliResult {
    let Some(failure) = failure else { return Ok(()) };
    let d = Diagnostic::error("E0803", format!("a random kernel does not do the same everywhere: {failure}"));
    Err(vec![d.help("this is a bug in Quadra; please report the kernel above")])
}
