//! Gives each virtual register a physical one, or says that it must be spilled.

use crate::liveness::{self, Liveness, Ranges};
use crate::minst::{Code, MInst, Oper, Reg, Src};
use std::collections::BTreeMap;

/// Where everything lies.
pub struct Assignment {
    /// Per virtual register.
    pub place: Vec<Option<Reg>>,
    /// Registers without a place, the most valuable first.
    pub spilled: Vec<u32>,
    pub live: Liveness,
    /// When each accumulator is in use.
    pub accumulators: Vec<Busy>,
}

/// The times at which a physical register is in use: start to end.
#[derive(Clone, Default)]
pub struct Busy(BTreeMap<u32, u32>);

impl Busy {
    /// Whether any of these times is taken.
    pub fn conflicts(&self, ranges: &[(u32, u32)]) -> bool {
        ranges.iter().any(|&(s, e)| self.0.range(..e).next_back().is_some_and(|(_, &end)| end > s))
    }

    /// Takes these times.
    pub fn take(&mut self, ranges: &[(u32, u32)]) {
        self.0.extend(ranges.iter().copied());
    }

    /// Times between the last use before `time` and `time`.
    fn gap_before(&self, time: u32) -> u32 {
        self.0.range(..=time).next_back().map_or(u32::MAX, |(_, &end)| time.saturating_sub(end))
    }
}

/// What the choice of a place depends on.
#[derive(Clone, Default)]
struct Uses {
    weight: f32,
    /// Registers read by the same operation, or by two that may share an instruction: they had better be in the other file.
    partners: Vec<(u32, f32)>,
    /// Uses by the instruction right behind the one that writes it: a file register comes one too late.
    tight: f32,
    /// Uses beside a small immediate, which takes the read port of file B.
    with_immediate: f32,
}

/// Physical registers, four accumulators and two files.
const PLACES: usize = 4 + 64;

fn reg_of(place: usize) -> Reg {
    match place {
        0..=3 => Reg::Acc(place as u8),
        4..=35 => Reg::A(place as u8 - 4),
        _ => Reg::B(place as u8 - 36),
    }
}

/// Assigns registers; only the first `accumulators` of r0 to r3 and the first
/// `registers` of each file are given out.
pub fn run(code: &Code, accumulators: usize, registers: u8) -> Assignment {
    let live = liveness::compute(code);
    let uses = collect(code);
    let mut order: Vec<u32> = (0..code.virt.len() as u32).filter(|v| !live.ranges[*v as usize].is_empty()).collect();
    let density = |v: u32| {
        let info = &code.virt[v as usize];
        let length = liveness::length(&live.ranges[v as usize]) as f32;
        let cheap = if info.constant.is_some() { 0.2 } else { 1.0 };
        cheap * uses[v as usize].weight / (length + 4.0)
    };
    let rank = |v: u32| {
        let info = &code.virt[v as usize];
        (!info.accumulator, !info.pinned)
    };
    order.sort_by(|a, b| rank(*a).cmp(&rank(*b)).then(density(*b).total_cmp(&density(*a))).then(a.cmp(b)));
    let mut busy = vec![Busy::default(); PLACES];
    let mut place: Vec<Option<Reg>> = vec![None; code.virt.len()];
    let mut spilled = Vec::new();
    for v in order {
        let ranges = &live.ranges[v as usize];
        let only_accumulators = code.virt[v as usize].accumulator;
        let candidates = (0..PLACES).filter(|p| match reg_of(*p) {
            Reg::Acc(n) => (n as usize) < accumulators,
            Reg::A(n) | Reg::B(n) => n < registers && !only_accumulators,
            _ => false,
        });
        let best = candidates
            .filter(|p| !busy[*p].conflicts(ranges))
            .map(|p| (cost(&uses[v as usize], ranges, reg_of(p), &busy[p], &place), p))
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        match best {
            Some((_, p)) => {
                busy[p].take(ranges);
                place[v as usize] = Some(reg_of(p));
            }
            None => spilled.push(v),
        }
    }
    busy.truncate(4);
    Assignment { place, spilled, live, accumulators: busy }
}

/// How bad a place is, in instructions, weighted by how often they run.
fn cost(uses: &Uses, ranges: &Ranges, r: Reg, busy: &Busy, place: &[Option<Reg>]) -> f32 {
    let length = liveness::length(ranges);
    let gap = busy.gap_before(ranges[0].0);
    match r {
        Reg::Acc(_) => {
            // An accumulator that was free only just now makes the scheduler keep this order; one that is taken for long
            // is missing for what is short.
            let fresh = if gap < 6 { 0.3 } else { 0.0 };
            let long = if length > 24 { 0.15 } else { 0.0 };
            (fresh + long) * uses.weight
        }
        _ => {
            let same_file = |other: Option<Reg>| match (r, other) {
                (Reg::A(x), Some(Reg::A(y))) | (Reg::B(x), Some(Reg::B(y))) => x != y,
                _ => false,
            };
            let ports: f32 = uses.partners.iter().filter(|(o, _)| same_file(place[*o as usize])).map(|(_, w)| w).sum();
            let immediates = if matches!(r, Reg::B(_)) { uses.with_immediate } else { 0.0 };
            let fresh = if gap < 6 { 0.1 } else { 0.0 };
            (0.1 + fresh) * uses.weight + uses.tight + 1.5 * (ports + immediates)
        }
    }
}

fn collect(code: &Code) -> Vec<Uses> {
    let mut uses = vec![Uses::default(); code.virt.len()];
    for block in &code.blocks {
        let weight = 8f32.powi(block.depth.min(6) as i32);
        let mut before: Option<u32> = None;
        for inst in &block.insts {
            if let Some(b) = before
                && inst.reads().any(|r| r == Reg::Virt(b))
            {
                uses[b as usize].tight += weight;
            }
            before = inst.def().and_then(Reg::virt);
            code.for_each_use(inst, |r| {
                if let Some(v) = r.virt() {
                    uses[v as usize].weight += weight;
                }
            });
            if let Some(v) = inst.def().and_then(Reg::virt) {
                uses[v as usize].weight += weight;
            }
            let (a, b) = (inst.src[0], inst.src[1]);
            match (a, b) {
                (Some(Src::Reg(Reg::Virt(a))), Some(Src::Reg(Reg::Virt(b)))) if a != b => {
                    uses[a as usize].partners.push((b, weight));
                    uses[b as usize].partners.push((a, weight));
                }
                (Some(Src::Reg(Reg::Virt(v))), Some(Src::Imm(_)))
                | (Some(Src::Imm(_)), Some(Src::Reg(Reg::Virt(v)))) => {
                    uses[v as usize].with_immediate += weight;
                }
                _ => {}
            }
        }
        for pair in block.insts.windows(2) {
            neighbours(&mut uses, pair, weight);
        }
    }
    uses
}

/// How much a port conflict between two operations that may share an instruction counts, against one within an operation.
const NEIGHBOURS: f32 = 0.2;

/// An operation of one ALU and one of the other right behind it may share an instruction, if that reads at most one
/// register of each file.
fn neighbours(uses: &mut [Uses], pair: &[MInst], weight: f32) {
    let [first, second] = pair else { return };
    if !matches!((first.op, second.op), (Oper::Add(_), Oper::Mul(_)) | (Oper::Mul(_), Oper::Add(_))) {
        return;
    }
    let reads = |inst: &MInst| inst.reads().filter_map(Reg::virt).collect::<Vec<u32>>();
    // What the first gives to the second keeps them apart.
    if first.def().is_some_and(|d| second.reads().any(|r| r == d)) {
        return;
    }
    for a in reads(first) {
        for b in reads(second).into_iter().filter(|b| *b != a) {
            uses[a as usize].partners.push((b, NEIGHBOURS * weight));
            uses[b as usize].partners.push((a, NEIGHBOURS * weight));
        }
    }
}
