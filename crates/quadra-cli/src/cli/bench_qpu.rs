//! `quadra bench qpu`.

use super::common::CliResult;
use crate::json;
use quadra::kernels::{self, Shipped, Workload};
use quadra_back_qpu as back_qpu;
use quadra_base::Diagnostic;
use quadra_device::{Report, Work, emu::Emu, interp::Interp};
use quadra_isa::vc4::timing::{Board, Parameters};
use serde::Serialize;
use std::cell::RefCell;
use std::collections::HashMap;

/// Runs the workloads of the shipped kernels on the emulator with the timing model, checks their results, and compares
/// the code with QPULib's and the modelled time with published times.
#[derive(clap::Args)]
#[command(after_help = "\
A slot is an instruction issued by a QPU, delay slots included. `nop_share` is the share of slots in which nothing happens,
`dual_share` the share in which both ALUs work. A workload with `times` above 1 is modelled once and counted that often.")]
pub struct Args {
    /// Print JSON, rows of {kernel, workload, level, qpus, static_words, slots, qpulib_slots, ratio, nop_share, dual_share,
    /// modelled_s, published_s, times, launches, fill_mb, memory_mb, bound_s, limit, reached}.
    #[arg(long)]
    json: bool,
    /// Print the means alone; with --json, rows of {level, ratio, worst_ratio, nop_share, dual_share}.
    #[arg(long)]
    summary: bool,
    /// Only the kernels of these names.
    #[arg(long, value_name = "NAME")]
    kernel: Vec<String>,
    /// Leave out the large workloads.
    #[arg(long)]
    quick: bool,
    /// Optimisation levels of the compiler; its default unless said.
    #[arg(long, value_name = "LEVEL")]
    level: Vec<u8>,
    /// The board whose clock is meant: zero, 1, 2 or 3.
    #[arg(long, value_name = "MODEL", default_value = "1")]
    pi: String,
    /// How programs are launched: by the firmware's mailbox, as the published times were, or by the GPU's registers.
    #[arg(long, value_enum, default_value = "registers")]
    launch: Launch,
    /// Also count the operations of each kernel, and print the time that no program can do without, the unit that asks for
    /// it, and the share of it in the modelled time.
    #[arg(long)]
    bound: bool,
    /// Which way loads take: as the compiler chooses, all through the TMUs, or all through the VPM.
    #[arg(long, value_enum, default_value = "auto")]
    loads: Loads,
    /// Let every line that leaves the L2 cache for the caches of the slices pass at no more than this many GB/s, all QPUs
    /// together.
    #[arg(long, value_name = "GB/s")]
    fill: Option<f64>,
    /// Let the L2 cache be filled from memory at this many GB/s, slower or faster than the model's own 1.07.
    #[arg(long, value_name = "GB/s")]
    memory_fill: Option<f64>,
}

/// Which way loads take.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Loads {
    /// Through a TMU wherever that is legal, unless streams of rows are cheaper through the VPM.
    Auto,
    /// Through a TMU; kernels are refused that load what they may have stored.
    Tmu,
    /// Through the VPM by DMA.
    Vpm,
}

impl From<Loads> for back_qpu::Loads {
    fn from(loads: Loads) -> back_qpu::Loads {
        match loads {
            Loads::Auto => back_qpu::Loads::Auto,
            Loads::Tmu => back_qpu::Loads::Tmu,
            Loads::Vpm => back_qpu::Loads::Vpm,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Launch {
    Registers,
    Mailbox,
}

/// One workload at one level.
#[derive(Serialize)]
struct Row {
    kernel: &'static str,
    workload: &'static str,
    level: u8,
    qpus: u32,
    static_words: u32,
    slots: u64,
    qpulib_slots: Option<u64>,
    /// Our slots divided by QPULib's; lower is better.
    ratio: Option<f64>,
    nop_share: f64,
    dual_share: f64,
    /// Seconds in the model, launches included.
    modelled_s: f64,
    published_s: Option<f64>,
    /// How often what was modelled counts.
    times: u32,
    launches: u64,
    /// Megabytes that left the L2 cache for the caches of the slices, and that entered it from memory.
    fill_mb: f64,
    memory_mb: f64,
    /// Seconds that follow from the operations of the kernel; see [`quadra_device::Work`].
    bound_s: Option<f64>,
    limit: Option<&'static str>,
    /// The bound divided by the modelled time.
    reached: Option<f64>,
}

/// What all rows together say, per level.
#[derive(Serialize)]
struct Summary {
    level: u8,
    /// Geometric mean of the ratios over [`COMPARED`].
    ratio: Option<f64>,
    /// The largest of these ratios.
    worst_ratio: Option<f64>,
    /// Mean over the kernels of the mean over their workloads.
    nop_share: f64,
    dual_share: f64,
}

/// Kernels whose slots are compared with QPULib's in the summary.
const COMPARED: [&str; 10] =
    ["gcd", "gcd_unrolled", "tri", "multi_tri", "oet", "req_recv", "rot3d_v1", "rot3d_v2", "rot3d_v3", "heat_map"];

/// Clocks between two fills of a 64-byte line at `gbs` GB/s.
fn clocks_per_line(gbs: f64, clock_mhz: f64) -> f64 {
    64.0 / (gbs * 1e9) * clock_mhz * 1e6
}

struct Bench {
    board: Board,
    launch: Launch,
    parameters: Parameters,
    loads: Loads,
    bound: bool,
    /// By kernel and workload: the work does not depend on how many QPUs share it.
    work: RefCell<HashMap<(&'static str, &'static str), Work>>,
}

impl Bench {
    fn of(args: &Args) -> Result<Bench, Diagnostic> {
        let board = Board::from_name(&args.pi).ok_or_else(|| {
            Diagnostic::error("", format!("there is no board `{}`", args.pi)).help("the boards are zero, 1, 2 and 3")
        })?;
        let mut parameters = board.parameters();
        let rate = |gbs: f64| match gbs > 0.0 && gbs.is_finite() {
            true => Ok(clocks_per_line(gbs, board.clock_mhz())),
            false => Err(Diagnostic::error("", "a rate of fills is a positive number of GB/s")),
        };
        if let Some(gbs) = args.fill {
            parameters.l2_line = parameters.l2_line.max(rate(gbs)?);
        }
        if let Some(gbs) = args.memory_fill {
            parameters.memory_line = rate(gbs)?;
        }
        Ok(Bench {
            board,
            launch: args.launch,
            parameters,
            loads: args.loads,
            bound: args.bound,
            work: RefCell::default(),
        })
    }

    fn row(&self, kernel: &Shipped, workload: &Workload, level: u8) -> Result<Row, Diagnostic> {
        let options = back_qpu::Options { opt_level: level, loads: self.loads.into(), ..back_qpu::Options::default() };
        let emu = Emu::new().with_options(options).with_model(self.parameters);
        let report: Report = (workload.run)(&emu, workload.qpus)?;
        let model = report.model.unwrap_or_default();
        let times = u64::from(workload.times);
        let slots = report.instructions * times;
        let launch_us = match self.launch {
            Launch::Registers => self.parameters.launch_registers,
            Launch::Mailbox => self.parameters.launch_mailbox,
        };
        let launches = model.launches * times;
        let share = |part: u64| part as f64 / report.instructions.max(1) as f64;
        let seconds =
            |clocks: f64| (clocks * times as f64 / self.board.clock_mhz() + launches as f64 * launch_us) * 1e-6;
        let modelled_s = seconds(model.clocks as f64);
        let bound = match self.bound {
            true => Some(self.work_of(kernel, workload)?.bound(workload.qpus, &self.parameters)),
            false => None,
        };
        let bound_s = bound.map(|(clocks, _)| seconds(clocks));
        Ok(Row {
            kernel: kernel.name,
            workload: workload.name,
            level,
            qpus: workload.qpus,
            static_words: report.static_words.unwrap_or(0),
            slots,
            qpulib_slots: workload.qpulib.map(|p| p.slots),
            ratio: workload.qpulib.map(|p| slots as f64 / p.slots as f64),
            nop_share: share(model.nop_slots),
            dual_share: share(model.dual_slots),
            modelled_s,
            published_s: workload.published_s,
            times: workload.times,
            launches,
            fill_mb: (model.fill_bytes * times) as f64 * 1e-6,
            memory_mb: (model.memory_bytes * times) as f64 * 1e-6,
            bound_s,
            limit: bound.map(|(_, limit)| limit.name()),
            reached: bound_s.map(|b| b / modelled_s),
        })
    }

    /// Counts the operations of a workload.
    fn work_of(&self, kernel: &Shipped, workload: &Workload) -> Result<Work, Diagnostic> {
        let key = (kernel.name, workload.name);
        if let Some(work) = self.work.borrow().get(&key) {
            return Ok(*work);
        }
        let work = (workload.run)(&Interp::counting(), workload.qpus)?.work.unwrap_or_default();
        self.work.borrow_mut().insert(key, work);
        Ok(work)
    }
}

/// The mean of one figure over the kernels of `rows`, each kernel weighing the same.
fn mean(rows: &[&Row], figure: fn(&Row) -> f64) -> f64 {
    let mut kernels: Vec<&str> = rows.iter().map(|r| r.kernel).collect();
    kernels.dedup();
    let of_kernel = |name: &&str| {
        let figures: Vec<f64> = rows.iter().filter(|r| r.kernel == *name).map(|r| figure(r)).collect();
        figures.iter().sum::<f64>() / figures.len() as f64
    };
    kernels.iter().map(of_kernel).sum::<f64>() / kernels.len().max(1) as f64
}

fn summary(rows: &[Row], level: u8) -> Summary {
    let rows: Vec<&Row> = rows.iter().filter(|r| r.level == level).collect();
    let ratios: Vec<f64> = COMPARED
        .iter()
        .filter_map(|name| {
            // Where a kernel has several workloads with figures of QPULib, their geometric mean.
            let of: Vec<f64> = rows.iter().filter(|r| r.kernel == *name).filter_map(|r| r.ratio).collect();
            geometric_mean(&of)
        })
        .collect();
    let worst = rows.iter().filter(|r| COMPARED.contains(&r.kernel)).filter_map(|r| r.ratio);
    Summary {
        level,
        ratio: geometric_mean(&ratios),
        worst_ratio: worst.reduce(f64::max),
        nop_share: mean(&rows, |r| r.nop_share),
        dual_share: mean(&rows, |r| r.dual_share),
    }
}

fn geometric_mean(values: &[f64]) -> Option<f64> {
    let logs: f64 = values.iter().map(|v| v.ln()).sum();
    (!values.is_empty()).then(|| (logs / values.len() as f64).exp())
}

pub fn run(args: &Args) -> CliResult {
    let bench = Bench::of(args).map_err(|d| vec![d])?;
    let chosen: Vec<&'static Shipped> = if args.kernel.is_empty() {
        // `print` measures nothing but printing.
        kernels::ALL.iter().filter(|k| k.name != "print").collect()
    } else {
        args.kernel.iter().map(|name| kernels::find(name)).collect::<Result<_, _>>().map_err(|d| vec![d])?
    };
    let default = [back_qpu::Options::default().opt_level];
    let levels = if args.level.is_empty() { &default[..] } else { &args.level };
    let mut rows = Vec::new();
    for &level in levels {
        for kernel in &chosen {
            for workload in kernel.workloads.iter().filter(|w| !(args.quick && w.large)) {
                rows.push(bench.row(kernel, workload, level).map_err(|d| vec![d])?);
            }
        }
    }
    let summaries: Vec<Summary> = levels.iter().map(|&level| summary(&rows, level)).collect();
    match (args.json, args.summary) {
        (true, false) => print_json(&rows),
        (true, true) => print_json(&summaries),
        (false, only) => {
            if !only {
                print_rows(&rows);
            }
            print_summaries(&summaries);
        }
    }
    Ok(())
}

fn print_json(list: &[impl Serialize]) {
    println!("{}", json::pretty(list));
}

fn optional(x: Option<String>) -> String {
    x.unwrap_or_else(|| "-".into())
}

fn print_rows(rows: &[Row]) {
    println!(
        "{:<14} {:<26} {:>2} {:>4} {:>6} {:>10} {:>10} {:>6} {:>5} {:>5} {:>12} {:>10} {:>10} {:>9} {:>5}",
        "kernel",
        "workload",
        "-O",
        "QPUs",
        "words",
        "slots",
        "QPULib",
        "ratio",
        "nop%",
        "dual%",
        "modelled s",
        "published",
        "bound s",
        "limit",
        "%"
    );
    for r in rows {
        println!(
            "{:<14} {:<26} {:>2} {:>4} {:>6} {:>10} {:>10} {:>6} {:>5.1} {:>5.1} {:>11.6}{} {:>10} {:>10} {:>9} {:>5}",
            r.kernel,
            r.workload,
            r.level,
            r.qpus,
            r.static_words,
            r.slots,
            optional(r.qpulib_slots.map(|s| s.to_string())),
            optional(r.ratio.map(|s| format!("{s:.3}"))),
            100.0 * r.nop_share,
            100.0 * r.dual_share,
            r.modelled_s,
            if r.times > 1 { "*" } else { " " },
            optional(r.published_s.map(|s| format!("{s:.3}"))),
            optional(r.bound_s.map(|s| format!("{s:.6}"))),
            r.limit.unwrap_or("-"),
            optional(r.reached.map(|r| format!("{:.1}", 100.0 * r))),
        );
    }
    if rows.iter().any(|r| r.times > 1) {
        println!("* one part of the workload was modelled, and stands for all: every part takes the same instructions");
    }
}

fn print_summaries(summaries: &[Summary]) {
    for s in summaries {
        let ratio = |x: Option<f64>| optional(x.map(|x| format!("{x:.3}")));
        println!(
            "-O{}: slots against QPULib {} (geometric mean; worst {}), NOPs {:.1} %, dual issue {:.1} % (means over kernels)",
            s.level,
            ratio(s.ratio),
            ratio(s.worst_ratio),
            100.0 * s.nop_share,
            100.0 * s.dual_share
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(kernel: &'static str, ratio: Option<f64>, nop_share: f64) -> Row {
        Row {
            kernel,
            workload: "",
            level: 1,
            qpus: 1,
            static_words: 1,
            slots: 1,
            qpulib_slots: None,
            ratio,
            nop_share,
            dual_share: 0.5,
            modelled_s: 0.0,
            published_s: None,
            times: 1,
            launches: 1,
            fill_mb: 0.0,
            memory_mb: 0.0,
            bound_s: None,
            limit: None,
            reached: None,
        }
    }

    #[test]
    fn a_kernel_with_many_workloads_weighs_as_much_as_one_with_few() {
        let rows = [row("gcd", Some(0.25), 0.1), row("heat_map", Some(0.5), 0.2), row("heat_map", Some(2.0), 0.4)];
        let s = summary(&rows, 1);
        assert_eq!((s.ratio, s.worst_ratio), (Some(0.5), Some(2.0)));
        assert!((s.nop_share - 0.2).abs() < 1e-12 && s.dual_share == 0.5);
        assert!((clocks_per_line(1.3, 250.0) - 12.3).abs() < 0.01);
    }

    #[test]
    fn the_model_gives_every_figure_of_a_row() {
        let bench = Bench {
            board: Board::Pi1,
            launch: Launch::Registers,
            parameters: Parameters::default(),
            loads: Loads::Auto,
            bound: true,
            work: RefCell::default(),
        };
        let row = bench.row(&kernels::gcd::GCD, &kernels::gcd::GCD.workloads[0], 1).unwrap();
        assert!(row.slots > 0 && row.static_words > 0 && row.ratio.is_some_and(|r| r < 1.0));
        assert!(row.nop_share > 0.0 && row.nop_share < 0.5 && row.dual_share > 0.0);
        // Four clocks per slot, and the launch.
        assert!(row.reached.is_some_and(|r| r > 0.1 && r <= 1.0));
        assert!(row.modelled_s > row.slots as f64 * 4.0 / 250e6 + 2e-6);
    }
}
