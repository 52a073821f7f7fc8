//! `quadra fuzz loops`, `rows`, `blocks` and `reach`: parts of a long series, each in a process of its own, as many at a time as there are
//! cores. Whether proofs are tested and where guard pages lie is a process's matter, and a program that ends its process ends one part.

use super::common::CliResult;
use super::fuzz::{Args, Watch};
use crate::json;
use quadra_base::Diagnostic;
use quadra_base::cache;
use quadra_tests::fuzz::OnDevice;
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Programs between two looks at the clock.
const CHUNK: u64 = 25;
/// Programs of a part at most: what starting a process and loading libLLVM costs disappears among them.
const PART: u64 = 200;
/// Parts for each core at least, so that all cores are at work until the end.
const PARTS: u64 = 4;

/// Runs the programs of a seed's series, and says what came of them.
pub(super) fn run(args: &Args, what: &str, series: fn(u64, u64, &str) -> OnDevice) -> CliResult {
    let watch = Watch::new(args, "programs");
    let total =
        if args.alone || args.count <= CHUNK { here(args, series, &watch)? } else { in_parts(args, what, &watch)? };
    drop(watch);
    if args.json {
        println!("{}", json::line(line(args, what, &total)));
    } else {
        print(args, what, &total);
    }
    match total.failure {
        None => Ok(()),
        Some(failure) => {
            let d = Diagnostic::error("E0803", format!("a random program does not do the same everywhere: {failure}"));
            Err(vec![d.help("this is a bug in Quadra; please report the program above")])
        }
    }
}

/// All programs in this process.
fn here(args: &Args, series: fn(u64, u64, &str) -> OnDevice, watch: &Watch) -> Result<OnDevice, Vec<Diagnostic>> {
    let (mut total, mut panics) = (OnDevice::default(), None);
    watch.series(args, CHUNK, |seed, count| {
        let device = args.device.clone();
        match quadra_quasar::session::with_stack(move || series(seed, count, &device)) {
            Some(report) => add(&mut total, report),
            None => panics = Some(seed),
        }
        total.failure.is_none() && panics.is_none()
    });
    match panics {
        None => Ok(total),
        Some(seed) => Err(vec![Diagnostic::error("E0803", format!("a program from seed {seed} on panics"))]),
    }
}

fn add(total: &mut OnDevice, part: OnDevice) {
    total.programs += part.programs;
    total.kernels += part.kernels;
    total.refused += part.refused;
    for (reason, times) in part.reasons {
        *total.reasons.entry(reason).or_default() += times;
    }
    total.failure = total.failure.take().or(part.failure);
}

/// A part's outcome, or what went wrong with its process.
type Outcome = Result<OnDevice, String>;

/// All programs, in as many processes at a time as there are cores.
fn in_parts(args: &Args, what: &str, watch: &Watch) -> Result<OnDevice, Vec<Diagnostic>> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let size = args.count.div_ceil(cores as u64 * PARTS).clamp(CHUNK, PART);
    let parts = args.count.div_ceil(size);
    let (next, outcomes) = (AtomicU64::new(0), Mutex::new(Vec::<(u64, Outcome)>::new()));
    let work = || loop {
        let part = next.fetch_add(1, Ordering::Relaxed);
        if part >= parts || watch.stopped() {
            return;
        }
        let (seed, count) = (args.seed.wrapping_add(part * size), size.min(args.count - part * size));
        let outcome = in_process(args, what, seed, count);
        if outcome.as_ref().map_or(true, |o| o.failure.is_some()) {
            // The parts that are at work come to their ends; no other begins.
            next.store(parts, Ordering::Relaxed);
        }
        outcomes.lock().unwrap_or_else(|e| e.into_inner()).push((part, outcome));
        watch.more(count);
    };
    std::thread::scope(|scope| {
        (0..cores).for_each(|_| drop(scope.spawn(work)));
    });
    let mut outcomes = outcomes.into_inner().unwrap_or_else(|e| e.into_inner());
    outcomes.sort_by_key(|(part, _)| *part);
    let mut total = OnDevice::default();
    for (_, outcome) in outcomes {
        add(&mut total, outcome.map_err(|why| vec![Diagnostic::error("E0803", why)])?);
    }
    Ok(total)
}

fn in_process(args: &Args, what: &str, seed: u64, count: u64) -> Outcome {
    let failed = |why: String| format!("the process of {count} programs from seed {seed} on {why}");
    let exe = std::env::current_exe().map_err(|e| failed(format!("is not found: {e}")))?;
    let mut command = Command::new(exe);
    command.args(["fuzz", what, "--alone", "--json", "--device", &args.device]);
    command.args(["--seed", &seed.to_string(), "--count", &count.to_string()]);
    // Launches of one program share code by way of the cache; no program comes twice, so that it goes with its part.
    let kept = std::env::temp_dir().join(format!("quadra-fuzz-{}-{what}-{seed}", std::process::id()));
    if std::env::var_os(cache::VARIABLE).is_none() {
        command.env(cache::VARIABLE, &kept);
    }
    let output = command.stdin(Stdio::null()).output().map_err(|e| failed(format!("does not start: {e}")));
    // Whatever is left is only in the way.
    let _ = std::fs::remove_dir_all(&kept);
    let output = output?;
    read(&output).ok_or_else(|| {
        failed(format!("ends with {}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim_end()))
    })
}

/// What a process prints.
fn read(output: &Output) -> Option<OnDevice> {
    let line: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
    let number = |name: &str| line[name].as_u64().map(|n| n as usize);
    let reasons = line["reasons"].as_object()?.iter().map(|(why, n)| (why.clone(), n.as_u64().unwrap_or(0) as usize));
    Some(OnDevice {
        programs: number("programs")?,
        kernels: number("kernels")?,
        refused: number("refused")?,
        reasons: reasons.collect(),
        failure: line["failure"].as_str().map(String::from),
    })
}

fn line(args: &Args, what: &str, total: &OnDevice) -> serde_json::Value {
    serde_json::json!({
        "what": what,
        "seed": args.seed,
        "device": args.device,
        "programs": total.programs,
        "kernels": total.kernels,
        "refused": total.refused,
        "reasons": total.reasons,
        "failure": total.failure,
    })
}

fn print(args: &Args, what: &str, total: &OnDevice) {
    println!(
        "{} programs from seed {}: {} {}, {} of them did not run on device {}, {}",
        total.programs,
        args.seed,
        total.kernels,
        counted(what),
        total.refused,
        args.device,
        if total.failure.is_some() { "one program differs" } else { "all agree" }
    );
    let mut reasons: Vec<_> = total.reasons.iter().collect();
    reasons.sort_by_key(|(_, times)| std::cmp::Reverse(**times));
    reasons.iter().for_each(|(reason, times)| println!("{times:6} x {reason}"));
}

/// What is counted in programs of this kind.
fn counted(what: &str) -> &'static str {
    match what {
        "loops" => "loops count as parallel",
        "rows" => "nests",
        _ => "kernels",
    }
}
