//! `quadra timing`.

use super::CliResult;
use quadra_qpu::vc4::timing::Parameters;
use quadra_qpu::vc4::timing::params::Row;
use quadra_qpu::vc4::timing::report::{self, CLOCK_MHZ, Report, Use};

/// Prints the parameters of the timing model, each with its source; with --report, runs programs that were measured on
/// boards and prints how far off the model is.
#[derive(clap::Args)]
pub struct Args {
    /// Compare with boards: measured and modelled times, all ways to split a matrix product over 12 QPUs, and what
    /// prefetching uniforms through the TMU brings. Takes some seconds.
    #[arg(long)]
    report: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> CliResult {
    let rows = Parameters::default().rows();
    let report = if args.report { Some(report::report().map_err(|d| vec![*d])?) } else { None };
    if args.json {
        let text = match &report {
            Some(report) => serde_json::to_string_pretty(report),
            None => serde_json::to_string_pretty(&rows),
        };
        println!("{}", text.expect("plain data"));
        return Ok(());
    }
    if let Some(report) = &report {
        print_report(report);
    }
    print_parameters(&rows);
    Ok(())
}

fn print_report(report: &Report) {
    println!(
        "Seconds on boards at {CLOCK_MHZ} MHz and in the model. Fitted: a parameter follows from the measurement;"
    );
    println!("free: nothing does.\n");
    println!("{:42} {:>4} {:>9} {:>9} {:>7}  {:6}  note", "program", "QPUs", "measured", "modelled", "error", "status");
    for c in &report.checks {
        let modelled = c.modelled.map_or_else(|| "-".into(), |s| format!("{s:.4}"));
        let error = c.error.map_or_else(|| "-".into(), |e| format!("{:+.1} %", 100.0 * e));
        let status = if c.status == Use::Fitted { "fitted" } else { "free" };
        println!(
            "{:42} {:>4} {:>9} {modelled:>9} {error:>7}  {status:6}  {}; {}",
            c.program, c.qpus, c.measured, c.note, c.source
        );
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
