//! `quadra bench auto`: 30 programs on every device of this machine and on `auto`.

use super::bench_host::quasar_on;
use super::common::CliResult;
use crate::bench::auto::{ASKED, PROGRAMS, SLACK};
use crate::json;
use quadra_base::Diagnostic;
use serde::Serialize;

#[derive(clap::Args)]
pub struct Args {
    /// Print JSON, rows of {name, milliseconds of each device, auto_ms, best_ms, times_the_best, met}.
    #[arg(long)]
    json: bool,
    /// Only the programs whose names contain this text; may be given several times.
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
    /// Devices to compare with. `gpu` counts its copies; emulated ones are slow by nature.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "host,cpu")]
    devices: Vec<String>,
    /// Runs of each program on each device, in turn. The lowest time counts.
    #[arg(long, value_name = "N", default_value_t = 3)]
    rounds: u32,
    /// Kernels are compiled anew for each run, nothing is kept on disk.
    #[arg(long)]
    cold: bool,
}

/// A program's times in milliseconds.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    devices: Vec<(String, f64)>,
    auto_ms: f64,
    best_ms: f64,
    times_the_best: f64,
    /// At most 1.3 times the best, or next to it.
    met: bool,
}

pub fn run(args: &Args) -> CliResult {
    let failed = |e: std::io::Error| {
        vec![
            Diagnostic::error("E0830", format!("no temporary directory can be made: {e}"))
                .help("set TMPDIR to a directory that can be written"),
        ]
    };
    let directory = tempfile::tempdir().map_err(failed)?;
    let cache = match args.cold {
        true => "off".into(),
        false => directory.path().join("cache").display().to_string(),
    };
    let mut rows = Vec::new();
    for p in PROGRAMS.iter().filter(|p| args.only.is_empty() || args.only.iter().any(|o| p.name.contains(o.as_str()))) {
        let names: Vec<&str> = args.devices.iter().map(String::as_str).chain(["auto"]).collect();
        let mut times = vec![f64::INFINITY; names.len()];
        // One more than asked for, whose kernels come to lie on disk.
        for round in 0..=args.rounds.max(1) {
            for (name, time) in names.iter().zip(&mut times) {
                let ms = quasar_on(&p.text(), directory.path(), &["--device", name], &[("QUADRA_CACHE", &cache)])?.0;
                if round > 0 || args.cold {
                    *time = time.min(ms);
                }
            }
        }
        let auto_ms = times.pop().unwrap_or(f64::INFINITY);
        let best_ms = times.iter().copied().fold(f64::INFINITY, f64::min);
        let met = auto_ms <= ASKED * best_ms || auto_ms - best_ms <= SLACK;
        let devices = args.devices.iter().cloned().zip(times).collect();
        rows.push(Row { name: p.name, devices, auto_ms, best_ms, times_the_best: auto_ms / best_ms, met });
    }
    if rows.is_empty() {
        return Err(vec![
            Diagnostic::error("E0830", format!("no program's name contains '{}'", args.only.join("' or '")))
                .help("without --only there are all of them"),
        ]);
    }
    if args.json {
        println!("{}", json::pretty(&rows));
        return Ok(());
    }
    let heads: String = args.devices.iter().map(|d| format!("{d:>10}")).collect();
    println!("{:42}{heads}{:>10}{:>8}", "milliseconds", "auto", "ratio");
    for r in &rows {
        let cells: String = r.devices.iter().map(|d| format!("{:10.3}", d.1)).collect();
        let mark = if r.met { "" } else { "  *" };
        println!("{:42}{cells}{:10.3}{:8.2}{mark}", r.name, r.auto_ms, r.times_the_best);
    }
    println!(
        "{} of {} are at most {ASKED} times the best, or within {SLACK} ms of it",
        rows.iter().filter(|r| r.met).count(),
        rows.len()
    );
    Ok(())
}
