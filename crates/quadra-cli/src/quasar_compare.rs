//! `quadra compare`: one Quasar program on this processor, a GPU if there is one, and on 1 to 12 QPUs of the emulated Raspberry Pi.

use crate::page::time;
use crate::quasar_cli::{read, report};
use indicatif::{ProgressBar, ProgressStyle};
use quadra_base::{Diagnostic, near};
use quadra_quasar::clock::Clock;
use quadra_quasar::profile::Profile;
use quadra_quasar::session::{Buffer, Options, Session, with_stack};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// How far numbers that the program prints may be apart: the QPUs truncate after each operation.
const TOLERANCE: f64 = 2e-3;

/// Run a Quasar program on this processor, on its GPU if there is one, and on the emulated Pi with several numbers of QPUs, and
/// compare the times of its kernels.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Times on the QPUs are those of the timing model of a Raspberry Pi 1 (250 MHz); times of this processor and its GPU are measured. What the
program prints must be the same everywhere, but for the last digits of numbers; lines that print times are left out, as the
program's clock does not go by the machine's here. Pictures it writes are those of the last run.
`quadra run --device qpu --profile FILE.q` shows single kernels.")]
pub struct CompareArgs {
    /// The program.
    file: PathBuf,
    /// Numbers of QPUs.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 2, 4, 12], value_parser = clap::value_parser!(u32).range(1..=12))]
    qpus: Vec<u32>,
    /// Print the table as JSON, without what the program prints.
    #[arg(long)]
    json: bool,
    /// What the program's function `main` is called with, as strings.
    #[arg(value_name = "ARGS")]
    arguments: Vec<String>,
}

/// Where a program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum On {
    Processor,
    Gpu,
    /// The emulated Pi, on so many.
    Qpus(u32),
}

impl On {
    fn device(self) -> &'static str {
        match self {
            On::Processor => "cpu",
            On::Gpu => "gpu",
            On::Qpus(_) => "emu",
        }
    }

    /// Of the emulated Pi; 0 elsewhere.
    fn qpus(self) -> u32 {
        if let On::Qpus(n) = self { n } else { 0 }
    }
}

/// What one run shows.
struct Run {
    device: String,
    on: On,
    launches: u64,
    /// Launches that the device left to another one.
    elsewhere: u64,
    /// Seconds of all launches: modelled for QPUs, measured for the processor.
    seconds: f64,
    printed: String,
}

/// By how much the clock of the program goes on each time it is asked. It does not show how fast a run is, so that what the program
/// prints can be compared.
const STEP: Duration = Duration::from_millis(1);
/// The same for a run that shows which lines depend on the clock.
const OTHER_STEP: Duration = Duration::from_micros(1370);

/// `quadra compare FILE.q`.
pub fn compare(args: CompareArgs) -> ExitCode {
    let status = with_stack(move || match runs(&args) {
        Ok(runs) => show(&args, &runs),
        Err(status) => status,
    });
    ExitCode::from(status.unwrap_or(101))
}

fn runs(args: &CompareArgs) -> Result<Vec<Run>, u8> {
    let text = read(&args.file)?;
    let bar = if std::io::stderr().is_terminal() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    let mut runs = Vec::new();
    match quadra_device::open("cpu") {
        Ok(_) => runs.push(one(args, &text, On::Processor, STEP, &bar)?),
        Err(why) => report(&[why]),
    }
    let gpu = (quadra_device::expects_gpu() && quadra_device::open("gpu").is_ok()).then_some(On::Gpu);
    for on in gpu.into_iter().chain(args.qpus.iter().map(|&n| On::Qpus(n))) {
        runs.push(one(args, &text, on, STEP, &bar)?);
    }
    let timed = match runs.first() {
        Some(first) => timed_lines(&first.printed, &one(args, &text, first.on, OTHER_STEP, &bar)?.printed),
        None => Vec::new(),
    };
    runs.iter_mut().for_each(|run| run.printed = without(&run.printed, &timed));
    bar.finish_and_clear();
    Ok(runs)
}

/// Runs the program once; its status if it fails.
fn one(args: &CompareArgs, text: &str, on: On, step: Duration, bar: &ProgressBar) -> Result<Run, u8> {
    bar.set_message(match on {
        On::Processor => "this processor".into(),
        On::Gpu => "the GPU".into(),
        On::Qpus(n) => format!("{n} QPUs"),
    });
    let out = Buffer::default();
    let options = Options {
        device: on.device().into(),
        profile: true,
        qpus: Some(on.qpus()).filter(|n| *n > 0),
        clock: Clock::steps(step),
        arguments: args.arguments.clone(),
        ..Options::default()
    };
    let mut session = Session::new(options, Box::new(out.clone()));
    let outcome = session.run(&args.file.to_string_lossy(), text);
    if outcome.status != 0 || step == STEP && args.qpus.first() == Some(&on.qpus()) {
        bar.suspend(|| report(&outcome.diagnostics));
    }
    if outcome.status != 0 {
        return Err(u8::try_from(outcome.status).unwrap_or(1));
    }
    Ok(sum(session.profile(), on, out.text()))
}

/// The lines that are others where the clock goes another way: they print times.
fn timed_lines(printed: &str, other: &str) -> Vec<usize> {
    let pairs = printed.lines().zip(other.lines()).enumerate();
    pairs.filter(|(_, (a, b))| a != b).map(|(n, _)| n).collect()
}

/// A text without some of its lines.
fn without(text: &str, lines: &[usize]) -> String {
    let kept = text.split_inclusive('\n').enumerate().filter(|(n, _)| !lines.contains(n));
    kept.map(|(_, line)| line).collect()
}

fn sum(profile: Option<&Profile>, on: On, printed: String) -> Run {
    let records = profile.map(|p| p.records.as_slice()).unwrap_or_default();
    let here = |r: &&quadra_quasar::profile::Record| match on {
        On::Processor => true,
        On::Gpu => r.device == "gpu",
        On::Qpus(_) => r.modelled_seconds.is_some(),
    };
    let all: u64 = records.iter().map(|r| r.launches).sum();
    let launches = records.iter().filter(here).map(|r| r.launches).sum();
    let seconds =
        records.iter().filter(here).map(|r| if on.qpus() == 0 { r.seconds } else { r.modelled_seconds.unwrap_or(0.0) });
    let device = match on {
        On::Processor => match quadra_device::cpu::threads() {
            1 => "this processor, 1 thread".into(),
            n => format!("this processor, {n} threads"),
        },
        On::Gpu => "GPU".into(),
        On::Qpus(1) => "Pi, 1 QPU".into(),
        On::Qpus(n) => format!("Pi, {n} QPUs"),
    };
    Run { device, on, launches, elsewhere: all - launches, seconds: seconds.fold(0.0, |a, b| a + b), printed }
}

fn show(args: &CompareArgs, runs: &[Run]) -> u8 {
    let Some(first) = runs.first() else { return 0 };
    let different: Vec<&Run> = runs.iter().filter(|r| !same(&first.printed, &r.printed)).collect();
    if args.json {
        println!("{}", crate::json::pretty(json(runs)));
    } else {
        print!("{}", first.printed);
        print!("{}", table(runs));
    }
    for run in &different {
        let message = format!("'{}' prints something else than '{}'", run.device, first.device);
        report(&[
            Diagnostic::error("", message).help("run it with --device qpu and --device cpu and compare the output")
        ]);
    }
    u8::from(!different.is_empty())
}

fn json(runs: &[Run]) -> serde_json::Value {
    let row = |r: &Run| {
        serde_json::json!({
            "device": r.on.device().replace("emu", "qpu"), "qpus": r.on.qpus(), "launches": r.launches,
            "elsewhere": r.elsewhere, "seconds": r.seconds, "modelled": r.on.qpus() > 0,
        })
    };
    runs.iter().map(row).collect()
}

fn table(runs: &[Run]) -> String {
    let one = runs.iter().find(|r| r.on.qpus() > 0);
    let mut text = format!("\n{:26} {:>9} {:>14} {:>14} {:>9}\n", "", "launches", "kernels", "per launch", "");
    for r in runs {
        let ratio = match one.filter(|o| r.on.qpus() > 0 && r.seconds > 0.0 && o.on != r.on) {
            Some(o) => format!("{:.1} x", o.seconds / r.seconds),
            None => String::new(),
        };
        let each = if r.launches > 0 { time(r.seconds / r.launches as f64) } else { String::new() };
        text += &format!("{:26} {:>9} {:>14} {each:>14} {ratio:>9}\n", r.device, r.launches, time(r.seconds));
    }
    text = text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n") + "\n";
    if runs.iter().all(|r| r.launches == 0) {
        text += "No kernel or parallel loop was launched; `quadra run -v` says where they run, and why.\n";
    }
    text += "Times on the Pi are modelled (Raspberry Pi 1, 250 MHz), those of this processor measured.\n";
    if let Some(r) = runs.iter().find(|r| r.on == On::Gpu && r.elsewhere > 0) {
        text += &format!("{} launches for the GPU run on the processor; their time is not counted.\n", r.elsewhere);
    }
    if let Some(r) = runs.iter().find(|r| r.on.qpus() > 0 && r.elsewhere > 0) {
        text += &format!("On the Pi {} launches run on its processor; their time is not counted.\n", r.elsewhere);
    }
    text
}

/// Whether two outputs are the same words, but for the last digits of numbers.
fn same(a: &str, b: &str) -> bool {
    // Columns may be wider where a number has more digits.
    let words = |t: &str| t.split_whitespace().collect::<Vec<_>>().join(" ");
    near::texts(&words(a), &words(b), |x, y| (x - y).abs() <= TOLERANCE * x.abs().max(y.abs()).max(1e-3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_may_differ_in_last_digits_only() {
        assert!(same("mean  0.126901 of [1, 2]", "mean 0.1269 of [1, 2]"));
        assert!(!same("mean 0.126901", "mean 0.1280"));
    }

    #[test]
    fn lines_that_print_times_are_left_out() {
        let (a, b) = ("x = 1\n3 ms\ny = 2\n", "x = 1\n4.11 ms\ny = 2\n");
        assert_eq!(timed_lines(a, b), [1]);
        assert_eq!(without(a, &timed_lines(a, b)), "x = 1\ny = 2\n");
    }

    #[test]
    fn the_table_has_a_row_for_each_run_and_names_what_ran_elsewhere() {
        let run = |qpus, seconds, elsewhere| Run {
            device: format!("{qpus}"),
            on: if qpus == 0 { On::Processor } else { On::Qpus(qpus) },
            launches: 4,
            elsewhere,
            seconds,
            printed: String::new(),
        };
        let text = table(&[run(0, 2e-5, 0), run(1, 0.8, 0), run(12, 0.1, 2)]);
        assert!(text.contains("20.0 µs") && text.contains("800.00 ms") && text.contains("8.0 x"), "{text}");
        assert!(text.contains("2 launches run on its processor"), "{text}");
    }
}
