//! Improvements of machine code over virtual registers that cost more than a walk: what `-O2` adds before register
//! allocation.

mod address;
mod copies;
mod flags;
pub mod parts;
mod rotations;

use crate::machine::isa::Instruction;
use crate::vc4::minst::{BlockId, Code, MInst, Oper, Reg, Src, Term};

/// Runs every improvement.
pub fn run(code: &mut Code) {
    for b in 0..code.blocks.len() {
        flags::from_producers(&mut code.blocks[b]);
    }
    rotations::run(code);
    copies::run(code);
    let lanes = lane_numbers(code);
    for block in &mut code.blocks {
        flags::first_and_last_lane(block, |r| r.virt().is_some_and(|v| lanes[v as usize]));
    }
    for b in 0..code.blocks.len() {
        if let Some(before) = before_loop(code, b) {
            flags::across_iterations(code, b, before);
            address::run(code, b, before);
        }
    }
}

/// Per register, how often it is written and read.
struct Counts {
    defs: Vec<u32>,
    uses: Vec<u32>,
}

impl Counts {
    fn of(code: &Code) -> Counts {
        let (mut defs, mut uses) = (vec![0; code.virt.len()], vec![0; code.virt.len()]);
        for inst in code.blocks.iter().flat_map(|b| &b.insts) {
            if let Some(v) = inst.def().and_then(Reg::virt) {
                defs[v as usize] += 1;
            }
            code.for_each_use(inst, |r| {
                if let Some(v) = r.virt() {
                    uses[v as usize] += 1;
                }
            });
        }
        Counts { defs, uses }
    }

    /// Whether a register is written once and read once.
    fn is_temporary(&self, v: u32) -> bool {
        self.defs[v as usize] == 1 && self.uses[v as usize] == 1
    }
}

/// The only block before the loop that is block `b` alone.
fn before_loop(code: &Code, b: BlockId) -> Option<BlockId> {
    let Term::Branch { taken, other, .. } = code.blocks[b].term else { return None };
    if (taken == b) == (other == b) {
        return None;
    }
    let mut others = (0..code.blocks.len()).filter(|&p| p != b && code.blocks[p].term.targets().any(|t| t == b));
    let before = others.next()?;
    others.next().is_none().then_some(before)
}

/// The registers that hold the number of the lane and nothing else.
fn lane_numbers(code: &Code) -> Vec<bool> {
    let mut lanes: Vec<Option<bool>> = vec![None; code.virt.len()];
    for inst in code.blocks.iter().flat_map(|b| &b.insts) {
        let is_lane = |i: &MInst| i.op == Oper::Mov && i.src[0] == Some(Src::Element) && !i.keeps_destination();
        if let Some(v) = inst.def().and_then(Reg::virt) {
            let before = lanes[v as usize].unwrap_or(true);
            lanes[v as usize] = Some(before && is_lane(inst));
        }
    }
    lanes.into_iter().map(|l| l == Some(true)).collect()
}
