//! Register allocation: quick registers, files, spilling.
//!
//! Copies are joined where the live ranges allow, then registers are allocated in the order of how densely they are
//! used, each to the place with the fewest port conflicts. What finds no place is spilled, and everything starts over
//! with the spill code in it; in the end, spilled values stay in registers from use to use where some are free (reload
//! elimination). Last, operations whose two operands need one read port are mended with a copy to a quick register.

mod assign;
mod coalesce;
mod conflicts;
mod reload;
mod spill;

use super::code::Code;
use super::isa::{Instruction, Isa};
use super::registers::{self, Reg};
use quadra_base::Diagnostic;
use spill::SpillArea;

/// Rounds of spilling after which something must be wrong: each round spills every value that found no place.
const MOST_ROUNDS: u32 = 40;

/// Registers of each file, one of so many, that values which are alive for long leave to those which are used often, if that
/// helps.
const SHARE_LEFT: u8 = 8;

/// Loads of what was in a register before, from which on that is tried.
const MANY_AGAIN: f32 = 16.0;

/// Replaces virtual registers by physical ones, at most `registers` of each file; gives what has been spilled how.
///
/// # Errors
/// `E0502` if no allocation was found, which would be a bug.
pub fn run<I: Isa>(code: &mut Code<I>, spill: I::Spill, registers: u8) -> Result<I::Spill, Diagnostic> {
    coalesce::run(code);
    let registers = registers.max(I::FEWEST);
    let first = Attempt::new(code, &spill).run(registers, 0);
    let second = match &first {
        Some(done) if done.cost.again >= MANY_AGAIN && registers >= SHARE_LEFT => {
            Attempt::new(code, &spill).run(registers, registers / SHARE_LEFT)
        }
        _ => None,
    };
    let best = first.into_iter().chain(second).min_by(|a, b| a.cost.all.total_cmp(&b.cost.all));
    let Some(best) = best else {
        return Err(Diagnostic::error("E0502", "register allocation finds no place for what spilling itself needs"));
    };
    *code = best.code;
    Ok(best.area.code)
}

/// One way to allocate registers.
struct Attempt<I: Isa> {
    code: Code<I>,
    area: SpillArea<I>,
    cost: reload::Cost,
}

impl<I: Isa> Attempt<I> {
    fn new(code: &Code<I>, spill: &I::Spill) -> Attempt<I> {
        Attempt { code: code.clone(), area: SpillArea::new(spill.clone()), cost: reload::Cost::default() }
    }

    /// Allocates registers, and leaves some of each file free at first: values that are alive for long are spilled earlier then.
    fn run(mut self, registers: u8, left: u8) -> Option<Attempt<I>> {
        // The first attempts use all quick registers, which leaves none for mending port conflicts if all are in use.
        let mut reserve = 0;
        for round in 0..MOST_ROUNDS {
            let now = if round == 0 { registers - left } else { registers };
            let mut assignment = assign::run(&self.code, registers::available::<I>(now) & !reserve);
            if assignment.spilled.iter().any(|v| self.code.virt[*v as usize].pinned) {
                break;
            }
            if !assignment.spilled.is_empty() {
                let spilled = std::mem::take(&mut assignment.spilled);
                spill::insert(&mut self.code, &assignment.live, &spilled, &mut self.area);
                continue;
            }
            let mut code = self.code.clone();
            let given = registers::available::<I>(registers) & !reserve;
            if !self.area.loads.is_empty() {
                self.cost = reload::run(&mut code, &mut assignment, &self.area, given);
            }
            rewrite(&mut code, &assignment.place);
            if conflicts::mend(&mut code, &assignment, given) {
                drop_idle(&mut code);
                self.code = code;
                return Some(self);
            }
            reserve = I::RESERVE;
        }
        None
    }
}

fn rewrite<I: Isa>(code: &mut Code<I>, place: &[Option<Reg>]) {
    let at = |r: Reg| match r {
        Reg::Virt(v) => place[v as usize].unwrap_or(registers::at(0)),
        other => other,
    };
    for inst in code.blocks.iter_mut().flat_map(|b| &mut b.insts) {
        inst.map_registers(at);
    }
    code.probes.iter_mut().for_each(|probe| probe.map_registers(at));
}

/// Takes out copies of registers to themselves, and what is left of spill code that is not needed.
fn drop_idle<I: Isa>(code: &mut Code<I>) {
    for block in &mut code.blocks {
        block.insts.retain(|i| !i.is_nothing() && i.as_copy().is_none_or(|(d, s)| d != s));
    }
}
