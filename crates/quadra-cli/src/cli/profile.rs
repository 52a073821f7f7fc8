//! `quadra profile CASE.json|KERNEL`.

use super::common::CliResult;
use super::profile_page;
use super::target::{Choice, Code, Source, Target};
use quadra_base::Diagnostic;
use quadra_isa::vc4::timing::profile::{self, Block, Line, Profile};
use quadra_isa::vc4::timing::{self, Board, Cause, Outcome, trace::Trace};
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;

/// Shows where a program's time goes on hardware: simulates the clock of every QPU and prints each instruction with its
/// executions, what it waited for and the source line it comes from, the hottest loop first.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  quadra profile heat_map                 the shipped kernel on its first workload
  quadra profile rot3d_v3 --qpus 12       on 12 QPUs
  quadra profile heat.q --kernel 4        the loop in line 4 of a Quasar program
  quadra profile heat.q --html p.html     the hottest lines and a timeline as a page
  quadra profile case.json --trace t.json an image; t.json opens in Perfetto or chrome://tracing")]
pub struct Args {
    #[command(flatten)]
    choice: Choice,
    /// The board whose clock is meant: zero, 1, 2 or 3.
    #[arg(long, value_name = "MODEL", default_value = "1")]
    pi: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Write a trace here that Perfetto and Chrome open: one row per QPU, TMU and DMA engine.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Write all of it as one page here: timeline, roofline, the source with its hot lines, instructions.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

pub fn run(args: &Args) -> CliResult {
    let board = super::common::board(&args.pi)?;
    let mut target = args.choice.prepare(true)?;
    let mut trace = args.trace.as_ref().or(args.html.as_ref()).map(|_| Trace::default());
    let params = board.parameters();
    let outcome =
        timing::run(&mut target.machine, &target.threads, &params, trace.as_mut()).map_err(|e| vec![e.diagnostic()])?;
    for warning in &outcome.report.warnings {
        eprintln!("warning: {warning}");
    }
    if let (Some(file), Some(trace)) = (&args.trace, &trace) {
        quadra_base::file::write(file, trace.to_json(board.clock_mhz())).map_err(|e| vec![unwritten(file, &e)])?;
        if trace.dropped() > 0 {
            eprintln!("warning: the trace holds the first events only; {} did not fit", trace.dropped());
        }
    }
    if let (Some(file), Some(trace)) = (&args.html, &trace) {
        profile_page::write(file, &target, &outcome, board, trace)?;
    }
    if args.json {
        println!("{}", crate::json::line(to_json(&target, &outcome, board)));
    } else {
        print!("{}", to_text(&target, &outcome, board));
    }
    Ok(())
}

/// The error of a file that cannot be written.
pub fn unwritten(file: &std::path::Path, why: &std::io::Error) -> Diagnostic {
    Diagnostic::error("E0721", format!("cannot write {}: {why}", file.display()))
}

pub fn profile_of(outcome: &Outcome, code: &Code) -> Profile {
    profile::profile(outcome, code.base, &code.program.insts)
}

/// An instruction in the JSON output.
#[derive(Serialize)]
struct Row {
    index: usize,
    address: u32,
    text: String,
    executions: u64,
    clocks: u64,
    /// Clocks by cause, those that are not 0.
    stalls: serde_json::Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Source>,
}

fn stalls_of(stalls: &timing::Stalls) -> serde_json::Map<String, Value> {
    let named = Cause::ALL.iter().filter(|c| stalls[**c as usize] > 0);
    named.map(|c| (c.name().replace(' ', "_").to_lowercase(), stalls[*c as usize].into())).collect()
}

fn to_json(target: &Target, outcome: &Outcome, board: Board) -> Value {
    let named = |pairs: &[(String, f64)]| -> Value { pairs.iter().map(|(n, s)| (n.clone(), json!(s))).collect() };
    let mut codes = Vec::new();
    let mut whole = json!(null);
    for code in &target.codes {
        let p = profile_of(outcome, code);
        let row = |l: &Line| Row {
            index: l.index,
            address: code.address(l.index),
            text: code.text(l.index),
            executions: l.executions,
            clocks: l.clocks(),
            stalls: stalls_of(&l.stalls),
            source: code.source(l.index),
        };
        let rows: Vec<Row> = p.lines.iter().filter(|l| l.executions > 0).map(row).collect();
        codes.push(json!({
            "base": code.base, "dual_issue": p.dual_issue, "blocks": p.blocks, "instructions": rows,
        }));
        let shares: Vec<(String, f64)> = p.shares.iter().map(|(n, s)| (n.to_string(), *s)).collect();
        whole =
            json!({"utilisation": p.utilisation, "shares": named(&shares), "busy": named(&p.busy), "limit": p.limit});
    }
    let qpus: Vec<Value> = outcome
        .qpus
        .iter()
        .zip(&outcome.report.qpus)
        .map(
            |(time, counts)| json!({"clocks": time.clocks, "issued": counts.issued, "stalls": stalls_of(&time.stalls)}),
        )
        .collect();
    json!({
        "target": target.name, "clocks": outcome.clocks, "clock_mhz": board.clock_mhz(),
        "seconds": outcome.seconds(board.clock_mhz(), 0.0), "qpus": qpus, "codes": codes, "whole": whole,
    })
}

fn to_text(target: &Target, outcome: &Outcome, board: Board) -> String {
    let mut out = String::new();
    let mhz = board.clock_mhz();
    let _ = writeln!(out, "{}", target.name);
    let (clocks, seconds) = (outcome.clocks, outcome.seconds(mhz, 0.0));
    let _ = writeln!(out, "{clocks} clocks, {:.3} ms at {mhz} MHz, without the launch\n", seconds * 1e3);
    for (n, code) in target.codes.iter().enumerate() {
        let p = profile_of(outcome, code);
        if n == 0 {
            summary(&mut out, &p, outcome);
        }
        let _ = writeln!(out, "both ALUs work in {:.0} % of the ALU instructions\n", 100.0 * p.dual_issue);
        let all = (outcome.clocks.max(1) * outcome.qpus.len() as u64) as f64;
        for block in &p.blocks {
            block_text(&mut out, &p, code, block, all);
        }
    }
    out
}

/// Per QPU, per cause and per unit.
fn summary(out: &mut String, p: &Profile, outcome: &Outcome) {
    let _ = writeln!(out, "limited by {}\n", p.limit);
    for (qpu, (share, time)) in p.utilisation.iter().zip(&outcome.qpus).enumerate() {
        let mut waits: Vec<(Cause, u64)> = Cause::ALL.iter().map(|c| (*c, time.stalls[*c as usize])).collect();
        waits.retain(|(_, clocks)| *clocks > 0);
        waits.sort_by_key(|(_, clocks)| std::cmp::Reverse(*clocks));
        let waits = waits
            .iter()
            .take(4)
            .map(|(c, n)| format!("{} {:.0} %", c.name(), 100.0 * *n as f64 / outcome.clocks.max(1) as f64));
        let waits = waits.collect::<Vec<_>>().join(", ");
        let waits = if waits.is_empty() { waits } else { format!("; waits: {waits}") };
        let _ = writeln!(out, "QPU {qpu:2}  issues in {:5.1} % of the clocks{waits}", 100.0 * share);
    }
    let busy: Vec<String> = p.busy.iter().take(6).map(|(n, s)| format!("{n} {:.0} %", 100.0 * s)).collect();
    if !busy.is_empty() {
        let _ = writeln!(out, "units at work: {}", busy.join(", "));
    }
}

fn block_text(out: &mut String, p: &Profile, code: &Code, block: &Block, all: f64) {
    let share = 100.0 * block.clocks as f64 / all;
    let title = match block.span {
        Some((start, end)) => {
            let (start, end) = (code.address(start), code.address(end));
            format!("loop {start:#x} to {end:#x}: {share:.1} % of the time, {} iterations", block.iterations)
        }
        None => format!("outside all loops: {share:.1} % of the time"),
    };
    let _ = writeln!(out, "{title}");
    let _ = writeln!(out, "{:>7} {:>11} {:>11}  {:28}  instruction", "time", "executions", "clocks", "waits in clocks");
    let mut last = None;
    for line in block.lines.iter().map(|i| &p.lines[*i]) {
        let mut waits: Vec<(Cause, u64)> = Cause::ALL.iter().map(|c| (*c, line.stalls[*c as usize])).collect();
        waits.retain(|(_, clocks)| *clocks > 0);
        waits.sort_by_key(|(_, clocks)| std::cmp::Reverse(*clocks));
        let waits: Vec<String> = waits.iter().take(2).map(|(c, n)| format!("{} {n}", c.name())).collect();
        let share = 100.0 * line.clocks() as f64 / all;
        let source = code.source(line.index).filter(|s| last.as_ref() != Some(s));
        let text = code.text(line.index);
        let behind = source.as_ref().map_or_else(String::new, |s| format!("  # {s}"));
        let gap = if behind.is_empty() { 0 } else { 48 };
        let _ = writeln!(
            out,
            "{share:6.2}% {:>11} {:>11}  {:28}  {text:<gap$}{behind}",
            line.executions,
            line.clocks(),
            waits.join(", "),
        );
        last = source.or(last);
    }
    out.push('\n');
}
