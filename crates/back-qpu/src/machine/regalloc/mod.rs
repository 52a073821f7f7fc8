//! Register allocation: accumulators r0 to r3, files A and B, spilling.
//!
//! Copies are joined where the live ranges allow, then registers are given out in the order of how densely they are
//! used, each to the place with the fewest port conflicts. What finds no place is spilled, and everything starts over
//! with the spill code in it; in the end, spilled values stay in registers from use to use where some are free. Last, operations whose two operands need one read port are mended with a copy to an
//! accumulator.

mod assign;
mod coalesce;
mod conflicts;
mod reload;
mod spill;

use crate::vc4::abi::UniformSlot;
use crate::vc4::lower::Lowered;
use crate::vc4::minst::{Code, Oper, Reg, Src};
use crate::vc4::vpm_plan::VpmPlan;
use quadra_base::Diagnostic;

/// Rounds of spilling after which something must be wrong: each round spills every value that found no place.
const MOST_ROUNDS: u32 = 40;

/// Registers of each file without which spill code itself finds no place.
const FEWEST: u8 = 6;

/// Registers of each file, one of so many, that values which are alive for long leave to those which are used often, if that
/// helps.
const SHARE_LEFT: u8 = 8;

/// Loads of what was in a register before, from which on that is tried.
const MANY_AGAIN: f32 = 16.0;

/// Replaces virtual registers by physical ones, at most `registers` of each file; the uniform stream and the scratch area may grow.
///
/// # Errors
/// `E0502` if no allocation was found, which would be a bug.
pub fn run(lowered: &mut Lowered, plan: &VpmPlan, registers: u8) -> Result<(), Diagnostic> {
    coalesce::run(&mut lowered.code);
    let registers = registers.max(FEWEST);
    let first = Attempt::new(lowered, plan).run(registers, 0);
    let second = match &first {
        Some(done) if done.cost.again >= MANY_AGAIN && registers >= SHARE_LEFT => {
            Attempt::new(lowered, plan).run(registers, registers / SHARE_LEFT)
        }
        _ => None,
    };
    let best = first.into_iter().chain(second).min_by(|a, b| a.cost.all.total_cmp(&b.cost.all));
    let Some(Attempt { code, slots, memory, .. }) = best else {
        return Err(Diagnostic::error("E0502", "register allocation finds no place for what spilling itself needs"));
    };
    (lowered.code, lowered.slots, lowered.scratch_bytes) = (code, slots, memory.bytes());
    Ok(())
}

/// One way to give out registers.
struct Attempt {
    code: Code,
    slots: Vec<UniformSlot>,
    memory: spill::SpillArea,
    cost: reload::Cost,
}

impl Attempt {
    fn new(lowered: &Lowered, plan: &VpmPlan) -> Attempt {
        Attempt {
            code: lowered.code.clone(),
            slots: lowered.slots.clone(),
            memory: spill::SpillArea::new(plan, lowered.first_spill_row, lowered.scratch_bytes),
            cost: reload::Cost::default(),
        }
    }

    /// Gives out registers, and leaves some of each file free at first: values that are alive for long are spilled earlier then.
    fn run(mut self, registers: u8, left: u8) -> Option<Attempt> {
        // The first attempts use all four accumulators, which leaves none for mending port conflicts if all are in use.
        let mut accumulators = 4;
        for round in 0..MOST_ROUNDS {
            let now = if round == 0 { registers - left } else { registers };
            let mut assignment = assign::run(&self.code, accumulators, now);
            if assignment.spilled.iter().any(|v| self.code.virt[*v as usize].pinned) {
                break;
            }
            if !assignment.spilled.is_empty() {
                let spilled = std::mem::take(&mut assignment.spilled);
                spill::insert(&mut self.code, &mut self.slots, &assignment.live, &spilled, &mut self.memory);
                continue;
            }
            let mut code = self.code.clone();
            if !self.memory.loads.is_empty() {
                let given = assign::given(accumulators, registers);
                self.cost = reload::run(&mut code, &mut assignment, &self.memory, given);
            }
            rewrite(&mut code, &assignment.place);
            if conflicts::mend(&mut code, &assignment, accumulators) {
                drop_idle(&mut code);
                self.code = code;
                return Some(self);
            }
            accumulators = 3;
        }
        None
    }
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

/// Takes out copies of registers to themselves, and what is left of spill code that is not needed.
fn drop_idle(code: &mut Code) {
    for block in &mut code.blocks {
        block.insts.retain(|i| {
            if reload::is_empty(i) {
                return false;
            }
            let same = i.op == Oper::Mov && i.def().is_some() && i.src[0] == i.def().map(Src::Reg);
            !(same && !i.sf && i.rotate == crate::vc4::minst::Rotate::None)
        });
    }
}
