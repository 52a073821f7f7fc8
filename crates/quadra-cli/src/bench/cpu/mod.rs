//! Twelve kernels on this processor, K1 to K12, as array compilers are measured with them.
//!
//! [`kernels`] holds them as Rust kernels, [`rust`] launches them, [`quasar`] calls the programs of `examples/bench`, [`data`]
//! makes their inputs, [`reference`](mod@reference) computes the same in plain Rust, [`Bench`] measures. [`growth`] measures
//! three of them at several sizes.

pub mod data;
pub mod growth;
pub mod kernels;
pub mod quasar;
pub mod reference;
pub mod rust;

use quadra_base::{Diagnostic, cache};
use quadra_device::Device;
use serde::Serialize;
use std::time::{Duration, Instant};

/// The rows, in the order they are measured.
pub const ROWS: [&str; 16] =
    ["K1", "K2", "K3", "K4a", "K4b", "K5a", "K5b", "K6a", "K6b", "K7", "K8", "K9", "K10", "K11", "K12a", "K12b"];

/// One measurement, in milliseconds.
#[derive(Clone, Debug, Serialize)]
pub struct Sample {
    /// Always `quadra`.
    pub peer: &'static str,
    pub kernel: String,
    /// `rust` for kernels written in Rust, `quasar` for programs.
    pub variant: String,
    pub median_ms: f64,
    pub min_ms: f64,
    /// The first run, with compilation.
    pub first_ms: f64,
    /// From the source of the row's kernels to their launch, with libLLVM loaded and nothing in the cache, as the median of three
    /// times. Nothing if the row launches none.
    pub compile_ms: Option<f64>,
    /// The same with the code in the cache on disk, as the median of nine times.
    pub disk_ms: Option<f64>,
    /// Of the first row: from the beginning of the process to the first launch, without making the row's inputs.
    pub start_ms: Option<f64>,
    /// Whether the code of the first run came from the cache on disk.
    pub from_disk: bool,
    /// Processor time of a run divided by the threads it ran on, where the system tells: on a busy machine the better measure.
    pub cpu_ms: Option<f64>,
    /// Runs measured.
    pub n: usize,
    /// Whether the result agrees with plain Rust's within the tolerance of the row.
    pub ok: bool,
}

/// Hears why a row does not run, and says whether the others go on.
pub type Refused<'a> = &'a mut dyn FnMut(&str, &Diagnostic) -> bool;

/// Which rows to measure, and what becomes of the measurements.
pub struct Bench<'a> {
    /// Rows by name; a name without its letter means both (`K4`). Empty for all.
    pub only: Vec<String>,
    /// Fewest runs of a row after the first.
    pub runs: usize,
    /// How long the process took to come here, until the first row has been measured.
    pub begun: Option<Duration>,
    /// What a run waits for, if launches return before they are done.
    pub waits: Option<&'a dyn Device>,
    /// Receives each measurement.
    pub sink: &'a mut dyn FnMut(&Sample),
    /// Hears why a row does not run, and says whether the others go on; without it a failure ends the run.
    pub refused: Option<Refused<'a>>,
}

/// One run of a row on its data.
pub type Step<'s> = Box<dyn FnMut() -> Result<(), Diagnostic> + 's>;

/// A run of a row takes at least this long in all, so that short ones are repeated often.
const AT_LEAST: Duration = Duration::from_millis(200);

impl Bench<'_> {
    /// Whether a row is asked for.
    pub fn wants(&self, kernel: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|o| o == kernel || *o == kernel.trim_end_matches(['a', 'b']))
    }

    /// Measures a row: what `make` returns is one whole run, the first of which compiles, and `check` says after it whether
    /// the result is right.
    ///
    /// # Errors
    /// What `make` or a run reports.
    pub fn measure<'s>(
        &mut self,
        kernel: &str,
        variant: &str,
        make: impl Fn() -> Result<Step<'s>, Diagnostic>,
        check: impl FnOnce() -> bool,
    ) -> Result<(), Diagnostic> {
        let (start, cached) = (Instant::now(), cache::counts());
        let (mut run, launched) = match first_run(&make) {
            Ok(first) => first,
            Err(why) => return self.leave_out(kernel, why),
        };
        let (first, looked) = (start.elapsed(), cache::counts());
        let ok = check();
        let mut times = Vec::new();
        let (begin, used) = (Instant::now(), processor_ns());
        while times.len() < self.runs || begin.elapsed() < AT_LEAST {
            let start = Instant::now();
            run()?;
            self.waits.map_or(Ok(()), Device::finish)?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
        let threads = quadra_device::cpu::threads() as f64;
        let used = processor_ns().zip(used).map(|(now, then)| (now - then) as f64 / 1e6 / threads);
        times.sort_by(f64::total_cmp);
        drop(run);
        if let Ok(device) = quadra_device::cpu::Cpu::new() {
            device.warm();
        }
        let compiled = median(3, || cache::without(|| first_run(&make)))?;
        // Less than a millisecond: of few times, page faults of the program's own arrays would be most.
        let from_disk = median(9, || first_run(&make))?;
        let ms = |d: Duration| d.as_secs_f64() * 1e3;
        (self.sink)(&Sample {
            peer: "quadra",
            kernel: kernel.into(),
            variant: variant.into(),
            median_ms: times[times.len() / 2],
            min_ms: times[0],
            first_ms: ms(first),
            compile_ms: compiled.map(ms),
            disk_ms: from_disk.map(ms),
            start_ms: self.begun.take().zip(launched).map(|(begun, launched)| ms(begun + launched)),
            from_disk: looked.hits > cached.hits && looked.misses == cached.misses,
            cpu_ms: used.map(|ms| ms / times.len() as f64),
            n: times.len(),
            ok,
        });
        Ok(())
    }

    /// Goes on without a row.
    ///
    /// # Errors
    /// Why the row does not run, if that ends all.
    fn leave_out(&mut self, kernel: &str, why: Diagnostic) -> Result<(), Diagnostic> {
        let goes_on = self.refused.as_mut().is_some_and(|refused| refused(kernel, &why));
        if goes_on { Ok(()) } else { Err(why) }
    }
}

/// The median of several times until a row was launched.
fn median<'s>(
    many: usize,
    first_run: impl Fn() -> Result<(Step<'s>, Option<Duration>), Diagnostic>,
) -> Result<Option<Duration>, Diagnostic> {
    let mut times = vec![None; many];
    for time in &mut times {
        *time = first_run()?.1;
    }
    times.sort();
    Ok(times[many / 2])
}

/// Makes a row and runs it once; the time from its source to its launch, with all kernels that it launches.
fn first_run<'s>(make: &impl Fn() -> Result<Step<'s>, Diagnostic>) -> Result<(Step<'s>, Option<Duration>), Diagnostic> {
    let start = Instant::now();
    let mut run = make()?;
    run()?;
    let made = quadra_device::cpu::made_since(start);
    Ok((run, made.first.map(|first| first.duration_since(start) + made.later)))
}

/// Processor time of all threads of this process, as Linux counts it.
fn processor_ns() -> Option<u64> {
    let mut sum = 0;
    for task in std::fs::read_dir("/proc/self/task").ok()?.flatten() {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        sum += text.split_whitespace().next()?.parse::<u64>().ok()?;
    }
    Some(sum)
}

/// Whether all elements agree within a relative and an absolute tolerance.
pub fn close(got: &[f32], want: &[f32], relative: f32, absolute: f32) -> bool {
    let near = |(a, b): (&f32, &f32)| (a - b).abs() <= absolute + relative * b.abs();
    got.len() == want.len() && got.iter().zip(want).all(near)
}
