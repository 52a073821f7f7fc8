//! `quadra bench cpu`: K1 to K12 on this processor.

use super::common::{CliResult, use_threads};
use crate::bench::cpu::{Bench, Sample, quasar, rust};
use crate::json;
use quadra_base::Diagnostic;

/// What `--only` takes.
pub(super) const ROWS: [&str; 20] = [
    "K1", "K2", "K3", "K4", "K4a", "K4b", "K5", "K5a", "K5b", "K6", "K6a", "K6b", "K7", "K8", "K9", "K10", "K11",
    "K12", "K12a", "K12b",
];

#[derive(clap::Args)]
pub struct Args {
    /// Print one object per line: {peer, kernel, variant, median_ms, min_ms, first_ms, compile_ms, disk_ms, start_ms, from_disk, cpu_ms, n, ok}.
    #[arg(long)]
    json: bool,
    /// Measure these rows only, for example K1,K3; K4 means K4a and K4b.
    #[arg(long, value_delimiter = ',', value_name = "ROWS", value_parser = ROWS, hide_possible_values = true)]
    only: Vec<String>,
    /// Measure these variants only: rust, quasar.
    #[arg(long, value_delimiter = ',', value_name = "NAMES", value_parser = ["rust", "quasar"], hide_possible_values = true)]
    variants: Vec<String>,
    /// Threads; as many as the processor has unless said, or QUADRA_THREADS.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Fewest runs of a row after the first.
    #[arg(long, value_name = "N", default_value_t = 7)]
    runs: usize,
    /// The device, for comparison: cpu, interp.
    #[arg(long, default_value = "cpu")]
    device: String,
}

pub fn run(args: &Args) -> CliResult {
    use_threads(args.threads);
    let device = quadra_device::open(&args.device).map_err(|d| vec![d])?;
    let mut wrong = Vec::new();
    let mut sink = |s: &Sample| {
        if args.json {
            println!("{}", json::line(s));
        } else {
            let (median, low, first) = (s.median_ms, s.min_ms, s.first_ms);
            let ok = if s.ok { "" } else { "  wrong" };
            let [code, disk] = [s.compile_ms, s.disk_ms].map(|t| t.map_or("-".into(), |t| format!("{t:.2}")));
            println!(
                "{:6} {:8} {median:10.4} {low:10.4} {first:10.2} {code:>9} {disk:>9} {:5}{ok}",
                s.kernel, s.variant, s.n
            );
        }
        if !s.ok {
            wrong.push(format!("{} ({})", s.kernel, s.variant));
        }
    };
    if !args.json {
        let [median, low, first, code, disk] = ["median ms", "lowest", "first", "code", "from disk"];
        println!("{:6} {:8} {median:>10} {low:>10} {first:>10} {code:>9} {disk:>9} {:>5}", "row", "variant", "runs");
    }
    let mut bench = Bench {
        only: args.only.clone(),
        runs: args.runs,
        begun: super::common::since_start(),
        waits: Some(&*device),
        sink: &mut sink,
        refused: None,
    };
    let wants = |variant: &str| args.variants.is_empty() || args.variants.iter().any(|v| v == variant);
    if wants("rust") {
        rust::run(&mut bench, &*device, quadra_device::cpu::threads() as u32).map_err(|d| vec![d])?;
    }
    if wants("quasar") {
        quasar::run(&mut bench, &args.device).map_err(|d| vec![d])?;
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(vec![Diagnostic::error("E0802", format!("wrong results: {}", wrong.join(", ")))]),
    }
}
