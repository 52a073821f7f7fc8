//! Joins the two registers of a copy into one where their live ranges do not overlap.

use crate::machine::code::Code;
use crate::machine::isa::{Instruction, Isa};
use crate::machine::liveness::{self, Ranges};
use crate::machine::registers::{Bank, Reg};

/// Registers that must be quick are joined only with ranges up to this long (two times per instruction):
/// few of them can be alive at once.
const LONGEST_QUICK: u32 = 24;

/// Joins copies, in inner loops first, and removes those that became empty.
pub fn run<I: Isa>(code: &mut Code<I>) {
    let live = liveness::compute(code);
    let mut ranges: Vec<Ranges> = live.ranges;
    let mut parent: Vec<u32> = (0..code.virt.len() as u32).collect();
    let mut copies: Vec<(u32, u32, u32)> = Vec::new();
    for block in &code.blocks {
        for inst in &block.insts {
            if let Some((d, s)) = copy(inst) {
                copies.push((block.depth, d, s));
            }
        }
    }
    copies.sort_by_key(|c| std::cmp::Reverse(c.0));
    for (_, d, s) in copies {
        let (d, s) = (find(&mut parent, d), find(&mut parent, s));
        if d == s || liveness::overlap(&ranges[d as usize], &ranges[s as usize]) {
            continue;
        }
        let joined = liveness::union(&ranges[d as usize], &ranges[s as usize]);
        let (a, b) = (code.virt[d as usize], code.virt[s as usize]);
        let quick = [a.bank, b.bank].contains(&Some(Bank::Quick));
        if quick && (joined.len() > 1 || liveness::length(&joined) > LONGEST_QUICK) {
            continue;
        }
        if a.bank.is_some() && b.bank.is_some() && a.bank != b.bank {
            continue;
        }
        parent[s as usize] = d;
        ranges[d as usize] = joined;
        let info = &mut code.virt[d as usize];
        info.bank = info.bank.or(b.bank);
        info.pinned |= b.pinned;
        info.constant = None;
        info.span = info.span.or(b.span);
    }
    rename(code, &mut parent);
}

/// Destination and source of an unconditional copy of virtual registers.
fn copy(inst: &impl Instruction) -> Option<(u32, u32)> {
    let (d, s) = inst.as_copy().filter(|_| !inst.keeps_destination())?;
    Some((d.virt()?, s.virt()?))
}

fn find(parent: &mut [u32], v: u32) -> u32 {
    let mut root = v;
    while parent[root as usize] != root {
        root = parent[root as usize];
    }
    let mut v = v;
    while parent[v as usize] != root {
        v = std::mem::replace(&mut parent[v as usize], root);
    }
    root
}

fn rename<I: Isa>(code: &mut Code<I>, parent: &mut [u32]) {
    let mut at = |r: Reg| match r {
        Reg::Virt(v) => Reg::Virt(find(parent, v)),
        other => other,
    };
    for block in &mut code.blocks {
        for inst in &mut block.insts {
            inst.map_registers(&mut at);
        }
        block.insts.retain(|i| copy(i).is_none_or(|(d, s)| d != s));
    }
    code.probes.iter_mut().for_each(|probe| probe.map_registers(&mut at));
}
