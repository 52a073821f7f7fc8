//! `quadra bench gpu`: what launches and K1 to K12 take on a GPU.

use super::bench_cpu::ROWS;
use super::common::CliResult;
use crate::bench::cpu::{Bench, Sample, rust};
use crate::json;
use quadra_base::Diagnostic;
use quadra_device::{Argument, Buffer, Device, LaunchOptions, gpu};
use quadra_kir::parse;
use std::time::Instant;

#[derive(clap::Args)]
#[command(after_help = "\
Launches are compared with the library underneath (variant `raw`): one launch that is waited for, and 2,000 in a series. Rows
run on data that is on the GPU, until it is idle; those with buffers that it does not bind run on the processor, and say so.
Rows that the GPU refuses are left out, with the reason.
  QUADRA_GPU=llvmpipe quadra bench gpu --only K1,K8 --json")]
pub struct Args {
    /// Print one object per line: {peer, kernel, variant, median_ms, min_ms, first_ms, n, ok, here}, or of rows that the GPU refuses
    /// {peer, kernel, refused}.
    #[arg(long)]
    json: bool,
    /// Measure these rows only, for example K1,K3; LAUNCH means the launches.
    #[arg(long, value_delimiter = ',', value_name = "ROWS", value_parser = rows(), hide_possible_values = true)]
    only: Vec<String>,
    /// The device: `gpu`, or `cuda`, whose launches have nothing to be compared with.
    #[arg(long, default_value = "gpu")]
    device: String,
    /// Fewest runs of a row after the first.
    #[arg(long, value_name = "N", default_value_t = 5)]
    runs: usize,
}

/// What `--only` takes.
fn rows() -> Vec<&'static str> {
    std::iter::once("LAUNCH").chain(ROWS).collect()
}

/// Launches of a series.
const SERIES: u32 = 2000;
/// Times that launches are measured.
const TIMES: usize = 21;

/// One row.
struct Row {
    kernel: String,
    variant: String,
    median: f64,
    min: f64,
    first: f64,
    n: usize,
    ok: bool,
    /// Launches that ran on the GPU, and on the processor instead.
    ran: gpu::Counts,
}

impl Row {
    fn of(kernel: &str, variant: &str, mut times: Vec<f64>) -> Row {
        let first = times.first().copied().unwrap_or_default();
        times.sort_by(f64::total_cmp);
        let (median, min) = (times[times.len() / 2], times[0]);
        let (kernel, variant) = (kernel.to_string(), variant.to_string());
        Row { kernel, variant, median, min, first, n: times.len(), ok: true, ran: gpu::Counts::default() }
    }

    fn print(&self, json: bool) {
        if json {
            let row = serde_json::json!({
                "peer": "quadra", "kernel": self.kernel, "variant": self.variant, "median_ms": self.median,
                "min_ms": self.min, "first_ms": self.first, "n": self.n, "ok": self.ok,
                "here": self.ran.elsewhere == 0,
            });
            println!("{}", json::line(row));
            return;
        }
        let place = if self.ran.elsewhere > 0 { "  on the processor" } else { "" };
        let wrong = if self.ok { "" } else { "  wrong" };
        println!(
            "{:8} {:28} {:10.4} {:10.4} {:10.2} {:5}{place}{wrong}",
            self.kernel, self.variant, self.median, self.min, self.first, self.n
        );
    }
}

pub fn run(args: &Args) -> CliResult {
    let device = quadra_device::open(&args.device).map_err(|d| vec![d])?;
    if !args.json {
        println!("{}", device.about());
        println!("{:8} {:28} {:>10} {:>10} {:>10} {:>5}", "row", "variant", "median ms", "lowest", "first", "runs");
    }
    if args.only.is_empty() || args.only.iter().any(|o| o == "LAUNCH") {
        launches(&*device, args.json).map_err(|d| vec![d])?;
    }
    let mut wrong = Vec::new();
    let mut before = gpu::counts();
    let mut sink = |s: &Sample| {
        let now = gpu::counts();
        let ran = gpu::Counts { here: now.here - before.here, elsewhere: now.elsewhere - before.elsewhere };
        before = now;
        let (kernel, variant) = (s.kernel.clone(), s.variant.clone());
        let row = Row { kernel, variant, median: s.median_ms, min: s.min_ms, first: s.first_ms, n: s.n, ok: s.ok, ran };
        row.print(args.json);
        wrong.extend((!s.ok).then(|| s.kernel.clone()));
    };
    let mut refused = |kernel: &str, why: &Diagnostic| {
        let refuses = gpu::refuses(why);
        match args.json {
            _ if !refuses => {}
            true => {
                let row = serde_json::json!({"peer": "quadra", "kernel": kernel, "refused": why.message});
                println!("{}", json::line(row));
            }
            false => println!("{kernel:8} left out: {}", why.message),
        }
        refuses
    };
    let only: Vec<String> = args.only.iter().filter(|o| *o != "LAUNCH").cloned().collect();
    if args.only.is_empty() || !only.is_empty() {
        let mut bench = Bench {
            only,
            runs: args.runs,
            begun: None,
            waits: Some(&*device),
            sink: &mut sink,
            refused: Some(&mut refused),
        };
        rust::run(&mut bench, &*device, device.caps().max_workers).map_err(|d| vec![d])?;
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(vec![Diagnostic::error("E0802", format!("wrong results: {}", wrong.join(", ")))]),
    }
}

/// Launches of a kernel that takes no time, beside those of the library underneath, in turns.
fn launches(device: &dyn Device, json: bool) -> Result<(), Diagnostic> {
    let (text, items) = gpu::SMALL;
    let kernel = parse::kernel("small.kir", text).map_err(|mut d| d.remove(0))?;
    let module = device.compile(&kernel).map_err(|mut d| d.remove(0))?;
    let x = Buffer::<i32>::new(items as usize);
    let options = LaunchOptions { extent: vec![items], ..LaunchOptions::default() };
    let series = |launches: u32| -> Result<f64, Diagnostic> {
        let begin = Instant::now();
        for _ in 0..launches {
            module.launch(&[Argument::from(&x)], &options).map_err(|f| f.to_diagnostic())?;
        }
        device.finish()?;
        Ok(begin.elapsed().as_secs_f64())
    };
    series(1)?;
    let mut done = 1;
    for (launches, name) in [(1, "1 launch, waited for"), (SERIES, "2000 launches, each")] {
        let (mut own, mut raw) = (Vec::new(), Vec::new());
        for _ in 0..TIMES {
            own.push(series(launches)? * 1e3 / f64::from(launches));
            if device.name() == "gpu" {
                raw.push(gpu::raw_seconds(launches)? * 1e3 / f64::from(launches));
            }
            done += launches;
        }
        Row::of("LAUNCH", name, own).print(json);
        if !raw.is_empty() {
            Row::of("LAUNCH", &format!("{name}, raw"), raw).print(json);
        }
    }
    // Each has added one.
    match x.to_vec().iter().all(|v| *v == done as i32) {
        true => Ok(()),
        false => Err(Diagnostic::error("E0802", "launches of a series are lost")),
    }
}
