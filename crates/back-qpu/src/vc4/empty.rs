//! Why instructions are empty.

use super::Vc4;
use super::bundle::apart;
use crate::machine::isa::Isa;
use quadra_isa::vc4::{Inst, Program, Signal};

/// The empty instructions of a program and why each is.
pub fn empty_slots(program: &Program) -> Vec<(usize, &'static str)> {
    let insts = &program.insts;
    let is_end = |i: &Inst| matches!(i, Inst::Alu(a) if a.sig == Signal::ProgramEnd);
    (0..insts.len())
        .filter(|&at| insts[at] == Inst::NOP)
        .map(|at| {
            let before = |n: usize| &insts[at.saturating_sub(n)..at];
            let reason = if before(2).iter().any(is_end) {
                "the program ends two instructions later"
            } else if before(Vc4::DELAY_SLOTS).iter().any(|i| matches!(i, Inst::Branch(_))) {
                "delay slot of the branch, and nothing that may run there"
            } else {
                waiting(insts, at)
            };
            (at, reason)
        })
        .collect()
}

/// What the empty instruction `at` waits for.
fn waiting(insts: &[Inst], at: usize) -> &'static str {
    let mut longest = 1;
    for (i, last) in insts[..at].iter().rev().take(3).enumerate() {
        for (j, next) in insts[at + 1..].iter().take(3).enumerate() {
            let needed = apart(last, next);
            if needed > i + 1 + j {
                longest = longest.max(needed);
            }
        }
    }
    match longest {
        2 => "a register is read two instructions after it is written",
        3 => "the special function unit needs three instructions",
        4 => "the VPM needs three instructions from setup to read",
        _ => "what follows is not ready, or others must see it in this order",
    }
}
