//! What schedulers search for, and what they know while they do.

use super::body::Body;
use super::graph::Times;
use crate::machine::code::Code;
use crate::machine::isa::{Instruction, Isa};
use crate::machine::registers::Reg;
use crate::machine::schedule::deps::Queues;

/// A loop whose operations have times and registers.
pub struct Found<I: Isa> {
    pub body: Body<I>,
    pub times: Times,
    pub registers: Vec<Reg>,
}

/// What does not change during a search.
pub struct Context<'a, I: Isa> {
    pub code: &'a Code<I>,
    pub queues: Queues,
    /// Registers of each file that may be used.
    pub registers: u8,
}

/// The instructions that one iteration takes at least, whatever depends on what.
pub fn least<I: Isa>(ops: &[I::Inst]) -> i32 {
    let bounds = I::bounds(ops).into_iter().map(|b| b.1 as i32);
    // The branch has an instruction of its own, and its delay slots behind it.
    bounds.max().unwrap_or(0).max(1 + I::DELAY_SLOTS as i32)
}

/// The operation with these registers for its webs.
pub fn settle<I: Isa>(inst: &I::Inst, registers: &[Reg]) -> I::Inst {
    let mut out = *inst;
    out.map_registers(|r| match r {
        Reg::Virt(w) => registers[w as usize],
        other => other,
    });
    out
}
