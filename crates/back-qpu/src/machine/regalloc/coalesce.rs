//! Joins the two registers of a copy into one where their live ranges do not overlap.

use crate::machine::liveness::{self, Ranges};
use crate::vc4::minst::{Code, Dst, MInst, Oper, Reg, Rotate, Src};
use quadra_isa::vc4::Cond;

/// Registers that must lie in an accumulator are joined only with ranges up to this long (two times per instruction):
/// few of them can be alive at once.
const LONGEST_IN_ACCUMULATOR: u32 = 24;

/// Joins copies, in inner loops first, and removes those that became empty.
pub fn run(code: &mut Code) {
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
        if (a.accumulator || b.accumulator) && (joined.len() > 1 || liveness::length(&joined) > LONGEST_IN_ACCUMULATOR)
        {
            continue;
        }
        if (a.accumulator || b.accumulator) && (a.file_a || b.file_a) {
            continue;
        }
        parent[s as usize] = d;
        ranges[d as usize] = joined;
        let info = &mut code.virt[d as usize];
        info.accumulator |= b.accumulator;
        info.file_a |= b.file_a;
        info.pinned |= b.pinned;
        info.constant = None;
        info.span = info.span.or(b.span);
    }
    rename(code, &mut parent);
}

/// Destination and source of a plain copy of virtual registers.
fn copy(inst: &MInst) -> Option<(u32, u32)> {
    let plain = inst.op == Oper::Mov && inst.cond == Cond::Always && !inst.sf && inst.rotate == Rotate::None;
    match (plain, inst.dst, inst.src[0]) {
        (true, Dst::Reg(Reg::Virt(d)), Some(Src::Reg(Reg::Virt(s)))) => Some((d, s)),
        _ => None,
    }
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

fn rename(code: &mut Code, parent: &mut [u32]) {
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
