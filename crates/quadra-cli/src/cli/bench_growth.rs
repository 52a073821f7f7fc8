//! `quadra bench growth`: how the cost of programs grows with the size of their data.

use super::common::{CliResult, use_threads};
use crate::bench::cpu::growth::{self, Point};
use crate::json;
use quadra_base::Diagnostic;
use quadra_device::roofline::Roofline;

#[derive(clap::Args)]
#[command(after_help = "\
book/figures/growth.q draws the book's picture from two runs:
  quadra bench growth --threads 1 --csv > growth1.csv
  quadra bench growth --threads 2 --csv > growth2.csv
  quadra run book/figures/growth.q growth1.csv growth2.csv growth.svg")]
pub struct Args {
    /// Pixels of a side.
    #[arg(long, value_delimiter = ',', default_values_t = [128, 256, 512, 1024, 2048, 4096])]
    sides: Vec<usize>,
    /// Threads; as many as the processor has unless said, or QUADRA_THREADS.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Fewest runs of each size after the first.
    #[arg(long, value_name = "N", default_value_t = 5)]
    runs: usize,
    /// Print one object per line.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print numbers with commas: number of the kernel (1, 5, 8), threads, side, milliseconds, milliseconds of the roofline.
    #[arg(long)]
    csv: bool,
}

pub fn run(args: &Args) -> CliResult {
    use_threads(args.threads);
    if args.sides.iter().any(|s| !(1..=16384).contains(s)) {
        return Err(vec![Diagnostic::error("", "a side is 1 to 16384 pixels long")]);
    }
    // Says what is missing if kernels cannot be compiled here.
    quadra_device::open("cpu").map_err(|d| vec![d])?;
    let roof =
        Roofline::get().ok_or_else(|| vec![Diagnostic::error("", "the processor's limits cannot be measured")])?;
    if !args.json && !args.csv {
        println!(
            "{:6} {:>7} {:>6} {:>12} {:>12} {:>6}",
            "kernel", "threads", "side", "median ms", "roofline ms", "share"
        );
    }
    let mut print = |p: &Point| {
        let &Point { kernel, threads, side, median_ms, roof_ms } = p;
        if args.json {
            println!("{}", json::line(p));
        } else if args.csv {
            println!("{},{threads},{side},{median_ms:.5},{roof_ms:.5}", &kernel[1..]);
        } else {
            let share = 100.0 * roof_ms / median_ms;
            println!("{kernel:6} {threads:>7} {side:>6} {median_ms:>12.4} {roof_ms:>12.4} {share:>4.0} %");
        }
    };
    growth::run(&args.sides, args.runs, &roof, &mut print).map_err(|d| vec![d])
}
