//! `quadra kernels`.

use super::common::CliResult;
use crate::json;
use quadra::kernels::{self, Shipped, Workload};
use quadra_back_qpu as back_qpu;
use quadra_base::Diagnostic;
use quadra_device::{self as device, Report};
use serde::Serialize;

/// Lists the kernels that come with Quadra; with --slots, runs their workloads and compares with QPULib.
#[derive(clap::Args)]
pub struct Args {
    /// Run each workload on the emulator, check its results, and print the words of the program and the issue slots that
    /// all QPUs executed, beside what QPULib's own code needs for the same workload.
    #[arg(long)]
    slots: bool,
    /// Print a JSON list; with --slots of `{kernel, workload, qpus, static_words, slots, qpulib_slots, ratio}`.
    #[arg(long)]
    json: bool,
    /// Optimisation level of the kernels that run.
    #[arg(short = 'O', value_name = "LEVEL", default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=2))]
    level: u8,
    /// Only the kernel of this name.
    kernel: Option<String>,
}

/// One row of the comparison.
#[derive(Serialize)]
pub struct Row {
    pub kernel: &'static str,
    pub workload: &'static str,
    pub qpus: u32,
    pub static_words: u32,
    pub slots: u64,
    pub qpulib_static_words: Option<u32>,
    pub qpulib_slots: Option<u64>,
    /// Our slots divided by QPULib's; lower is better.
    pub ratio: Option<f64>,
}

impl Row {
    fn of(kernel: &Shipped, workload: &Workload, report: &Report) -> Row {
        let peer = workload.qpulib;
        Row {
            kernel: kernel.name,
            workload: workload.name,
            qpus: workload.qpus,
            static_words: report.static_words.unwrap_or(0),
            slots: report.instructions,
            qpulib_static_words: peer.map(|p| p.static_words),
            qpulib_slots: peer.map(|p| p.slots),
            ratio: peer.map(|p| report.instructions as f64 / p.slots as f64),
        }
    }
}

/// Runs the workloads of `kernels` on the emulator.
///
/// # Errors
/// The first workload whose results are wrong, or that cannot run.
pub fn measure(kernels: &[&'static Shipped], level: u8) -> Result<Vec<Row>, Diagnostic> {
    let options = back_qpu::Options { opt_level: level, ..back_qpu::Options::default() };
    let emu = device::emu::Emu::new().with_options(options);
    let mut rows = Vec::new();
    for kernel in kernels {
        for workload in kernel.workloads {
            let report = (workload.run)(&emu, workload.qpus)?;
            rows.push(Row::of(kernel, workload, &report));
        }
    }
    Ok(rows)
}

pub fn run(args: &Args) -> CliResult {
    let chosen: Vec<&'static Shipped> = match &args.kernel {
        Some(name) => vec![kernels::find(name).map_err(|d| vec![d])?],
        None => kernels::ALL.iter().collect(),
    };
    if args.slots {
        return print_slots(&chosen, args.level, args.json);
    }
    if args.json {
        let rows: Vec<_> = chosen.iter().map(|k| serde_json::json!({ "kernel": k.name, "about": k.about })).collect();
        println!("{}", json::line(rows));
        return Ok(());
    }
    for k in chosen {
        println!("{:<14} {}", k.name, k.about);
    }
    Ok(())
}

fn print_slots(kernels: &[&'static Shipped], level: u8, json: bool) -> CliResult {
    let rows = measure(kernels, level).map_err(|d| vec![d])?;
    if json {
        println!("{}", json::pretty(&rows));
        return Ok(());
    }
    let heads = ["kernel", "workload", "QPUs", "words", "slots", "QPULib", "ratio"];
    let [k, w, q, s, n, p, r] = heads;
    println!("{k:<14} {w:<28} {q:>4} {s:>6} {n:>10} {p:>10} {r:>6}");
    for row in rows {
        let peer = row.qpulib_slots.map_or_else(|| "-".into(), |s| s.to_string());
        let ratio = row.ratio.map_or_else(|| "-".into(), |r| format!("{r:.3}"));
        println!(
            "{:<14} {:<28} {:>4} {:>6} {:>10} {:>10} {:>6}",
            row.kernel, row.workload, row.qpus, row.static_words, row.slots, peer, ratio
        );
    }
    Ok(())
}
