//! Copies of one value to accumulators, where rotations read it, made once if they stand near each other.
//!
//! ```text
//! mov a, x                mov a, x
//! mov y, a >> 15     ⟶    mov y, a >> 15
//! mov b, x                mov z, a >> 1
//! mov z, b >> 1
//! ```

use super::Counts;
use crate::machine::isa::Instruction;
use crate::machine::registers::Bank;
use crate::vc4::minst::{Block, Code, MInst, Oper, Reg, Rotate, Src};

/// Instructions over which one accumulator serves both: there are four.
const NEAR: usize = 8;

/// Rewrites every block.
pub fn run(code: &mut Code) {
    let Counts { defs, uses } = Counts::of(code);
    let accumulator: Vec<bool> =
        code.virt.iter().zip(&defs).map(|(v, d)| v.bank == Some(Bank::Quick) && *d == 1).collect();
    for block in &mut code.blocks {
        let mut i = 0;
        while i < block.insts.len() {
            i += usize::from(!share(block, i, &accumulator, &uses));
        }
    }
}

/// Accumulator and value of a plain copy.
fn copy(inst: &MInst, accumulator: &[bool]) -> Option<(Reg, Reg)> {
    let plain =
        inst.op == Oper::Mov && !inst.keeps_destination() && !inst.sf && inst.rotate == Rotate::None && !inst.glued;
    match (plain, inst.def(), inst.src[0]) {
        (true, Some(d @ Reg::Virt(v)), Some(Src::Reg(s @ Reg::Virt(_)))) if accumulator[v as usize] => Some((d, s)),
        _ => None,
    }
}

/// Lets what reads the copy at `i` read an earlier one; whether it could.
fn share(block: &mut Block, i: usize, accumulator: &[bool], uses: &[u32]) -> bool {
    let insts = &block.insts;
    let Some((second, value)) = copy(&insts[i], accumulator) else { return false };
    let start = i.saturating_sub(NEAR);
    let Some(j) = (start..i).rev().find(|&j| copy(&insts[j], accumulator).is_some_and(|c| c.1 == value)) else {
        return false;
    };
    if insts[j..i].iter().any(|x| x.def() == Some(value)) {
        return false;
    }
    let Some((first, _)) = copy(&insts[j], accumulator) else { return false };
    let reads = |x: &MInst, r: Reg| x.reads().any(|y| y == r);
    let readers: Vec<usize> = (i + 1..insts.len()).filter(|&k| reads(&insts[k], second)).collect();
    // All of them are here: an accumulator may be read in other blocks, or by a probe.
    let here: usize =
        readers.iter().map(|&k| insts[k].src.iter().flatten().filter(|s| **s == Src::Reg(second)).count()).sum();
    let Some(&last) = readers.last() else { return false };
    if here as u32 != second.virt().map_or(0, |v| uses[v as usize]) {
        return false;
    }
    if last - j > NEAR {
        return false;
    }
    for x in &mut block.insts[i + 1..=last] {
        x.map_registers(|r| if r == second { first } else { r });
    }
    block.insts.remove(i);
    true
}
