//! Where the time of a timed run went: per instruction, per loop, per QPU, and what limits the whole.

use super::model::{Cause, Outcome, Stalls};
use crate::vc4::{AddOp, Inst, MulOp};
use serde::Serialize;

/// One instruction of a program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Line {
    /// Index in the program.
    pub index: usize,
    pub executions: u64,
    /// Clocks waited at this instruction, by cause in the order of [`Cause::ALL`], summed over the QPUs.
    pub stalls: Stalls,
}

impl Line {
    /// Clocks spent here by all QPUs: four per execution, and the stalls.
    pub fn clocks(&self) -> u64 {
        4 * self.executions + self.stalls.iter().sum::<u64>()
    }
}

/// A loop, or what belongs to none.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Block {
    /// Indices of the first instruction and of the last, the delay slots of the branch included; `None` for what lies
    /// outside all loops.
    pub span: Option<(usize, usize)>,
    /// Instructions that belong to this loop and to none inside it.
    pub lines: Vec<usize>,
    /// How often the first instruction was executed, by all QPUs.
    pub iterations: u64,
    /// Clocks that all QPUs spent in `lines`.
    pub clocks: u64,
}

/// A whole run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Profile {
    pub lines: Vec<Line>,
    /// The loops that were executed, innermost ones apart from those around them; the one that took longest first.
    pub blocks: Vec<Block>,
    /// Share of the executed ALU instructions in which both ALUs work.
    pub dual_issue: f64,
    /// Per QPU, the share of the run's clocks in which it issued instructions.
    pub utilisation: Vec<f64>,
    /// What the QPUs spent their time on, as shares of all clocks of all QPUs, the largest first: issuing, each cause that
    /// occurred, and being done before the last QPU.
    pub shares: Vec<(&'static str, f64)>,
    /// Shares of the run's clocks in which the shared units worked, the busiest first.
    pub busy: Vec<(String, f64)>,
    /// What the run would have to get more of to be faster, in words.
    pub limit: String,
}

/// The profile of a program loaded at byte address `base`. The machine must have been configured to count executions.
pub fn profile(outcome: &Outcome, base: u32, insts: &[Inst]) -> Profile {
    let counts = outcome.report.profile.iter().find(|(b, _)| *b == base).map_or(&[][..], |(_, counts)| counts);
    let lines: Vec<Line> = (0..insts.len())
        .map(|index| {
            let address = base.wrapping_add(8 * index as u32);
            let stalls = outcome.places.binary_search_by_key(&address, |(a, _)| *a);
            let stalls = stalls.map_or(Stalls::default(), |i| outcome.places[i].1);
            Line { index, executions: counts.get(index).copied().unwrap_or(0), stalls }
        })
        .collect();
    let total = outcome.clocks.max(1) as f64;
    let issued = outcome.report.qpus.iter().map(|q| 4 * q.issued);
    let utilisation: Vec<f64> = issued.map(|clocks| clocks as f64 / total).collect();
    let shares = shares(outcome);
    let mut busy: Vec<(String, f64)> =
        outcome.busy.iter().map(|(name, clocks)| (name.clone(), (*clocks as f64 / total).min(1.0))).collect();
    busy.sort_by(|a, b| b.1.total_cmp(&a.1));
    Profile {
        dual_issue: dual_issue(insts, &lines),
        limit: limit(&utilisation, &shares, &busy),
        blocks: blocks(insts, &lines),
        utilisation,
        shares,
        busy,
        lines,
    }
}

/// The ALUs that an instruction uses: none, one or both.
pub fn alus(inst: &Inst) -> usize {
    match inst {
        Inst::Alu(i) => usize::from(i.op_add != AddOp::Nop) + usize::from(i.op_mul != MulOp::Nop),
        _ => 0,
    }
}

fn dual_issue(insts: &[Inst], lines: &[Line]) -> f64 {
    let executed =
        |least: usize| -> u64 { lines.iter().filter(|l| alus(&insts[l.index]) >= least).map(|l| l.executions).sum() };
    executed(2) as f64 / executed(1).max(1) as f64
}

/// Loops are found by their branches: from the target to the last delay slot.
fn blocks(insts: &[Inst], lines: &[Line]) -> Vec<Block> {
    let mut spans: Vec<(usize, usize)> = Vec::new();
    for (index, inst) in insts.iter().enumerate().filter(|(i, _)| lines[*i].executions > 0) {
        let Inst::Branch(branch) = inst else { continue };
        let Some(target) = branch.target(index).filter(|t| *t <= index) else { continue };
        let end = (index + 3).min(insts.len() - 1);
        match spans.iter_mut().find(|(start, _)| *start == target) {
            Some((_, last)) => *last = (*last).max(end),
            None => spans.push((target, end)),
        }
    }
    let block = |span: Option<(usize, usize)>| Block {
        span,
        lines: Vec::new(),
        iterations: span.map_or(1, |(start, _)| lines[start].executions),
        clocks: 0,
    };
    // The shortest span comes first, so that an instruction finds its innermost loop.
    spans.sort_by_key(|(start, end)| (end - start, *start));
    let mut blocks: Vec<Block> = spans.into_iter().map(|span| block(Some(span))).collect();
    blocks.push(block(None));
    for line in lines.iter().filter(|l| l.executions > 0) {
        let inside = |b: &&mut Block| b.span.is_none_or(|(start, end)| (start..=end).contains(&line.index));
        if let Some(block) = blocks.iter_mut().find(inside) {
            block.lines.push(line.index);
            block.clocks += line.clocks();
        }
    }
    blocks.retain(|b| !b.lines.is_empty());
    blocks.sort_by_key(|b| std::cmp::Reverse(b.clocks));
    blocks
}

fn shares(outcome: &Outcome) -> Vec<(&'static str, f64)> {
    let all = (outcome.clocks.max(1) * outcome.qpus.len().max(1) as u64) as f64;
    let issued: u64 = outcome.report.qpus.iter().map(|q| 4 * q.issued).sum();
    let idle: u64 = outcome.qpus.iter().map(|q| outcome.clocks - q.clocks).sum();
    let mut shares = vec![("issue", issued as f64 / all), ("done early", idle as f64 / all)];
    for cause in Cause::ALL {
        let clocks: u64 = outcome.qpus.iter().map(|q| q.stalls[cause as usize]).sum();
        shares.push((cause.name(), clocks as f64 / all));
    }
    shares.retain(|(_, share)| *share > 0.0);
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    shares
}

/// A unit that works this much of the time is what limits a run.
const FULL: f64 = 0.8;

fn limit(utilisation: &[f64], shares: &[(&'static str, f64)], busy: &[(String, f64)]) -> String {
    let issue = utilisation.iter().copied().fold(0.0, f64::max);
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let busiest = busy.first().map_or(("no unit", 0.0), |(name, share)| (name, *share));
    if issue >= FULL && issue >= busiest.1 {
        return format!("instructions: the busiest QPU issues in {} of the clocks", percent(issue));
    }
    if busiest.1 >= FULL {
        return format!("the {}, which works {} of the time", busiest.0, percent(busiest.1));
    }
    let waits = shares.iter().find(|(name, _)| *name != "issue");
    match waits {
        Some((cause @ "done early", share)) if *share > 0.3 => {
            format!("uneven shares of the work: {} of the QPUs' time goes by after they are {cause}", percent(*share))
        }
        Some((cause, share)) if *share > 1.0 - FULL => format!(
            "latency: {} of the time goes by waiting ({cause}), while no shared unit works more than {} of the time",
            percent(*share),
            percent(busiest.1)
        ),
        _ => format!("instructions and waiting in equal parts: {} of the clocks issue", percent(issue)),
    }
}
