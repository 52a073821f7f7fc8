//! Register allocation: accumulators r0 to r3, files A and B, spilling.
//!
//! Copies are joined where the live ranges allow, then registers are given out in the order of how densely they are
//! used, each to the place with the fewest port conflicts. What finds no place is spilled, and everything starts over
//! with the spill code in it. Last, operations whose two operands need one read port are mended with a copy to an
//! accumulator.

mod assign;
mod coalesce;
mod ports;
mod spill;

use crate::abi::UniformSlot;
use crate::lower::Lowered;
use crate::minst::{Code, Oper, Reg};
use crate::vpm_plan::VpmPlan;
use quadra_base::Diagnostic;

/// Rounds of spilling after which something must be wrong: each round spills every value that found no place.
const MOST_ROUNDS: u32 = 40;

/// Registers of each file without which spill code itself finds no place.
const FEWEST: u8 = 6;

/// Replaces virtual registers by physical ones, at most `registers` of each file; the uniform stream and the scratch area may grow.
///
/// # Errors
/// `E0502` if no allocation was found, which would be a bug.
pub fn run(lowered: &mut Lowered, plan: &VpmPlan, registers: u8) -> Result<(), Diagnostic> {
    coalesce::run(&mut lowered.code);
    let mut memory = spill::SpillArea::new(plan, lowered.first_spill_row, lowered.scratch_bytes);
    // The first attempts use all four accumulators, which leaves none for mending port conflicts if all are in use.
    let mut accumulators = 4;
    for _ in 0..MOST_ROUNDS {
        let assignment = assign::run(&lowered.code, accumulators, registers.max(FEWEST));
        if assignment.spilled.iter().any(|v| lowered.code.virt[*v as usize].pinned) {
            break;
        }
        if !assignment.spilled.is_empty() {
            spill::insert(lowered, &assignment.live, &assignment.spilled, &mut memory);
            continue;
        }
        let mut code = lowered.code.clone();
        rewrite(&mut code, &assignment.place);
        if ports::mend(&mut code, &assignment, accumulators) {
            drop_self_copies(&mut code);
            lowered.code = code;
            lowered.scratch_bytes = memory.bytes();
            return Ok(());
        }
        accumulators = 3;
    }
    Err(Diagnostic::error("E0502", "register allocation finds no place for what spilling itself needs"))
}

/// The uniform slots that spill code reads first.
type FrontSlots = Vec<(UniformSlot, Reg)>;

fn rewrite(code: &mut Code, place: &[Option<Reg>]) {
    let at = |r: Reg| match r {
        Reg::Virt(v) => place[v as usize].unwrap_or(Reg::Acc(0)),
        other => other,
    };
    for inst in code.blocks.iter_mut().flat_map(|b| &mut b.insts) {
        inst.map_registers(at);
    }
    code.probes.iter_mut().for_each(|probe| probe.map_registers(at));
}

fn drop_self_copies(code: &mut Code) {
    for block in &mut code.blocks {
        block.insts.retain(|i| {
            let same = i.op == Oper::Mov && i.def().is_some() && i.src[0].and_then(|s| s.reg()) == i.def();
            !(same && !i.sf && i.rotate == crate::minst::Rotate::None)
        });
    }
}
