//! `quadra profile --html`: where a QPU program's time goes, as a page.

use super::profile::{profile_of, unwritten};
use super::target::Target;
use crate::page::{Page, Point, Roof, Source, Table, time};
use quadra_base::{Diagnostic, FileId};
use quadra_isa::vc4::timing::profile::Profile;
use quadra_isa::vc4::timing::trace::Trace;
use quadra_isa::vc4::timing::{Board, Cause, Outcome};
use quadra_isa::vc4::{AddOp, Inst, MulOp};
use std::collections::BTreeMap;
use std::path::Path;

/// Instructions in the table, the hottest ones.
const MOST: usize = 200;
/// Lanes of an instruction, and of them how many each clock computes.
const LANES: f64 = 16.0;
const LANES_PER_CLOCK: f64 = 4.0;
/// Bytes of a line of memory.
const LINE: f64 = 64.0;

/// Writes the page: the whole of it or nothing.
///
/// # Errors
/// The file cannot be written.
pub fn write(
    file: &Path,
    target: &Target,
    outcome: &Outcome,
    board: Board,
    trace: &Trace,
) -> Result<(), Vec<Diagnostic>> {
    let profiles: Vec<Profile> = target.codes.iter().map(|code| profile_of(outcome, code)).collect();
    let hertz = board.clock_mhz() * 1e6;
    let page = Page {
        title: format!("Profile of {}", target.name),
        facts: facts(&profiles, outcome, board),
        trace: serde_json::from_str(&trace.to_json(board.clock_mhz())).unwrap_or_default(),
        clock: "Modelled: what each QPU waits for, the lookups of the TMUs and the transfers of the DMA engines.",
        roof: Some(roof(target, &profiles, outcome, board)),
        sources: sources(target, &profiles, hertz),
        heat: "Red: where the QPUs spent their time, all of them together, waiting included.",
        tables: vec![causes(outcome), instructions(target, &profiles, hertz)],
    };
    quadra_base::file::write(file, page.html()).map_err(|e| vec![unwritten(file, &e)])
}

fn facts(profiles: &[Profile], outcome: &Outcome, board: Board) -> Vec<(String, String)> {
    let mhz = board.clock_mhz();
    let mut facts = vec![
        (format!("modelled at {mhz} MHz, without the launch"), time(outcome.seconds(mhz, 0.0))),
        ("clocks".into(), outcome.clocks.to_string()),
        ("QPUs".into(), outcome.qpus.len().to_string()),
    ];
    if let Some(p) = profiles.first() {
        facts.push(("limited by".into(), p.limit.clone()));
        facts.push(("both ALUs work".into(), format!("{:.0} % of the ALU instructions", 100.0 * p.dual_issue)));
        facts.extend(
            p.busy.iter().take(4).map(|(unit, share)| (format!("{unit} works"), format!("{:.0} %", 100.0 * share))),
        );
    }
    facts
}

/// Operations on floats in an instruction, per lane.
fn flops(inst: &Inst) -> u64 {
    let Inst::Alu(alu) = inst else { return 0 };
    let add = matches!(alu.op_add, AddOp::Fadd | AddOp::Fsub | AddOp::Fmin | AddOp::Fmax);
    u64::from(add) + u64::from(alu.op_mul == MulOp::Fmul)
}

fn roof(target: &Target, profiles: &[Profile], outcome: &Outcome, board: Board) -> Roof {
    let (hertz, parameters) = (board.clock_mhz() * 1e6, board.parameters());
    let done: u64 = target
        .codes
        .iter()
        .zip(profiles)
        .flat_map(|(code, p)| p.lines.iter().map(|l| l.executions * flops(&code.program.insts[l.index])))
        .sum();
    let transfers: u64 = outcome.report.qpus.iter().map(|q| q.dma_load_bytes + q.dma_store_bytes).sum();
    let bytes = transfers as f64 + LINE * outcome.lines.from_memory as f64;
    Roof {
        // A sum and a product at a time.
        flops: outcome.qpus.len() as f64 * 2.0 * LANES_PER_CLOCK * hertz,
        bytes: LINE / parameters.memory_line * hertz,
        points: vec![Point {
            name: target.name.clone(),
            flops: done as f64 * LANES,
            bytes,
            seconds: outcome.seconds(board.clock_mhz(), 0.0),
        }],
        about: "Sums and products on floats of all lanes, under both ALUs of these QPUs at every clock and lines of memory as the timing \
                model has them; the bytes are those of transfers and of lines that the caches take from memory."
            .into(),
    }
}

fn sources(target: &Target, profiles: &[Profile], hertz: f64) -> Vec<Source> {
    let mut seconds: BTreeMap<FileId, BTreeMap<u32, f64>> = BTreeMap::new();
    for (code, p) in target.codes.iter().zip(profiles) {
        for line in p.lines.iter().filter(|l| l.executions > 0) {
            if let Some(span) = code.program.span(line.index) {
                *seconds.entry(span.file).or_default().entry(span.line).or_insert(0.0) += line.clocks() as f64 / hertz;
            }
        }
    }
    let known = seconds.into_iter().filter_map(|(file, seconds)| {
        let text = file.text()?.to_string();
        Some(Source { name: file.name().to_string(), text, seconds, verdicts: BTreeMap::new() })
    });
    known.collect()
}

fn causes(outcome: &Outcome) -> Table {
    let share = |clocks: u64| format!("{:.1} %", 100.0 * clocks as f64 / outcome.clocks.max(1) as f64);
    let met: Vec<Cause> =
        Cause::ALL.iter().copied().filter(|c| outcome.qpus.iter().any(|q| q.stalls[*c as usize] > 0)).collect();
    let head = ["QPU".to_string(), "issues".into()].into_iter().chain(met.iter().map(|c| c.name().to_string()));
    let row = |qpu: usize| {
        let (time, counts) = (&outcome.qpus[qpu], &outcome.report.qpus[qpu]);
        let waits = met.iter().map(|c| share(time.stalls[*c as usize]));
        [format!("QPU {qpu}"), share(4 * counts.issued)].into_iter().chain(waits).collect()
    };
    let qpus = outcome.qpus.len().min(outcome.report.qpus.len());
    Table {
        title: "Shares of the clocks, by what a QPU waits for".into(),
        head: head.collect(),
        rows: (0..qpus).map(row).collect(),
    }
}

fn instructions(target: &Target, profiles: &[Profile], hertz: f64) -> Table {
    let mut all: Vec<(u64, Vec<String>)> = Vec::new();
    for (code, p) in target.codes.iter().zip(profiles) {
        for line in p.lines.iter().filter(|l| l.executions > 0) {
            let worst = Cause::ALL.iter().copied().max_by_key(|c| line.stalls[*c as usize]);
            let worst = worst.filter(|c| line.stalls[*c as usize] > 0);
            all.push((
                line.clocks(),
                vec![
                    format!("{:#x}  {}", code.address(line.index), code.text(line.index)),
                    time(line.clocks() as f64 / hertz),
                    line.executions.to_string(),
                    worst.map_or(String::new(), |c| c.name().to_string()),
                    code.source(line.index).map_or(String::new(), |s| s.to_string()),
                ],
            ));
        }
    }
    all.sort_by_key(|row| std::cmp::Reverse(row.0));
    Table {
        title: "The hottest instructions".into(),
        head: ["instruction", "time of all QPUs", "executions", "waits most for", "source"].map(String::from).to_vec(),
        rows: all.into_iter().take(MOST).map(|row| row.1).collect(),
    }
}
