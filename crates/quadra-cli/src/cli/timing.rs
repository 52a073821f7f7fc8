//! `quadra timing`.

use super::common::CliResult;
use crate::json;
use quadra_isa::vc4::timing::Parameters;
use quadra_isa::vc4::timing::params::Row;
use quadra_isa::vc4::timing::published::Use;
use quadra_isa::vc4::timing::report::{self, Report};

/// Prints the parameters of the timing model, each with its source; with --report, runs programs that were measured on
/// boards and prints how far off the model is.
#[derive(clap::Args)]
pub struct Args {
    /// Compare with boards: measured and modelled times, all ways to split a matrix product over 12 QPUs, and what
    /// prefetching uniforms through the TMU brings. Takes some seconds.
    #[arg(long)]
    report: bool,
    /// Run the images in this directory, too: programs that are not part of Quadra, each with its memory, named after a row of
    /// the report (fft-9.json and fft-9.bin) or with what was measured in their JSON part.
    #[arg(long, value_name = "DIR", requires = "report")]
    images: Option<std::path::PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> CliResult {
    let rows = Parameters::default().rows();
    let report = if args.report { Some(report::report(args.images.as_deref()).map_err(|d| vec![*d])?) } else { None };
    if args.json {
        println!("{}", report.as_ref().map_or_else(|| json::pretty(&rows), json::pretty));
        return Ok(());
    }
    if let Some(report) = &report {
        print_report(report);
    }
    print_parameters(&rows);
    Ok(())
}

/// How to fill the rows that have no modelled value.
const HOW: &str = "
Rows without a modelled value are programs of others. Write each as an image (NAME.json and NAME.bin, see the book's chapter
on images), named after its row, into a directory, and name that with --images:
  fft-*      the words of the firmware's hello_fft (hex/shader_*.hex of the userland repository) with the memory that its
             gpu_fft_prepare lays out: two buffers per transform, code, twiddles, and the uniforms of 8 QPUs
  rot3d-*    the words that QPULib's compiler makes of its examples, with their uniforms and buffers; one launch
  heatmap-*  the same; one step of the 2,000";

fn print_report(report: &Report) {
    println!(
        "Seconds on boards and in the model. Fitted: the parameters named follow from the measurement, together with the"
    );
    println!("others that name them; free: none does.\n");
    println!(
        "{:12} {:34} {:>4} {:>9} {:>10} {:>7}  {:6}  parameters",
        "image", "program", "QPUs", "measured", "modelled", "error", "status"
    );
    for c in &report.checks {
        let modelled = c.modelled.map_or_else(|| "-".into(), |s| format!("{s:.4e}"));
        let error = c.error.map_or_else(|| "-".into(), |e| format!("{:+.1} %", 100.0 * e));
        let status = if c.status == Use::Fitted { "fitted" } else { "free" };
        println!(
            "{:12} {:34} {:>4} {:>9.3e} {modelled:>10} {error:>7}  {status:6}  {}",
            c.id, c.program, c.qpus, c.measured, c.note
        );
    }
    let mut sources: Vec<&str> = report.checks.iter().map(|c| c.source.as_str()).filter(|s| !s.is_empty()).collect();
    sources.dedup();
    println!("\nMeasured: {}.", sources.join("; "));
    if report.checks.iter().any(|c| c.modelled.is_none()) {
        println!("{}", HOW);
    }
    println!(
        "\nThe matrix product on 12 QPUs, rows of A in a parts and columns of B in b (free: the article found 2 x 6 best)\n"
    );
    let best = report.splits.iter().map(|s| s.seconds).fold(f64::INFINITY, f64::min);
    for s in &report.splits {
        let mark = if s.seconds == best { "  fastest" } else { "" };
        println!("{:>3} x {:<2} {:8.4} s  {:5.3} times the best{mark}", s.a, s.b, s.seconds, s.seconds / best);
    }
    println!(
        "\nThe same with each row of B looked up by a TMU ahead of the uniform stream, which brings its lines into the L2"
    );
    println!("cache (free: no measurement is published)\n");
    for p in &report.prefetch {
        let change = 100.0 * (p.with / p.without - 1.0);
        println!("{:>3} QPU(s)  without {:.4} s, with {:.4} s: {change:+.1} %", p.qpus, p.without, p.with);
    }
    println!();
}

fn print_parameters(rows: &[Row]) {
    println!("{:18} {:>7} {:22} {:10}  source", "parameter", "value", "unit", "status");
    for r in rows {
        let status = format!("{:?}", r.status).to_lowercase();
        println!("{:18} {:>7} {:22} {status:10}  {}", r.name, r.value, r.unit, r.source);
    }
}
