//! Where the time of a timed run went: per instruction, per QPU, and what limits the whole.

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

/// A whole run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Profile {
    pub lines: Vec<Line>,
    /// Share of the executed ALU instructions in which both ALUs work.
    pub dual_issue: f64,
    /// Per QPU, the share of the run's clocks in which it issued instructions.
    pub utilisation: Vec<f64>,
    /// What the QPUs spent their time on, as shares of all clocks of all QPUs, the largest first: issuing, each cause that
    /// occurred, and being done before the last QPU.
    pub shares: Vec<(&'static str, f64)>,
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
    let alu = |both: bool| -> u64 {
        let wanted = |inst: &Inst| match inst {
            Inst::Alu(i) => {
                let (add, mul) = (i.op_add != AddOp::Nop, i.op_mul != MulOp::Nop);
                if both { add && mul } else { add || mul }
            }
            _ => false,
        };
        lines.iter().filter(|l| wanted(&insts[l.index])).map(|l| l.executions).sum()
    };
    let total = outcome.clocks.max(1) as f64;
    let issued = outcome.report.qpus.iter().map(|q| 4 * q.issued);
    Profile {
        dual_issue: alu(true) as f64 / alu(false).max(1) as f64,
        utilisation: issued.map(|clocks| clocks as f64 / total).collect(),
        shares: shares(outcome),
        lines,
    }
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
