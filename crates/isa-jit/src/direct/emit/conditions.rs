//! Conditions of writes: masks of the flags, and what the next instruction's check wants to know of them.

use super::super::super::x64::halves::WIDE;
use super::*;

impl Emit<'_> {
    /// The mask of a condition; 0 for all lanes.
    pub(super) fn condition(&mut self, cond: Cond, scratch: u8) -> u8 {
        let (flag, inverted) = match cond {
            Cond::Always => return 0,
            Cond::Never => {
                self.asm.kclear(scratch);
                return scratch;
            }
            Cond::Zs => (mask::Z, false),
            Cond::Zc => (mask::Z, true),
            Cond::Ns => (mask::N, false),
            Cond::Nc => (mask::N, true),
            Cond::Cs => (mask::C, false),
            Cond::Cc => (mask::C, true),
        };
        if self.asm.has_halves() && self.widened[usize::from(flag) - 1] {
            return WIDE + 2 * (flag - 1) + u8::from(inverted);
        }
        if inverted {
            self.asm.knot(scratch, flag);
            return scratch;
        }
        flag
    }

    /// Where masks are bits and conditions need vectors: makes those of the flags that an instruction looks at, before it can
    /// become the engine's.
    pub(super) fn widen(&mut self, inst: Option<&Inst>) {
        let conds = match inst {
            Some(Inst::Alu(alu)) => [(acts(alu)[0], alu.cond_add), (acts(alu)[1], alu.cond_mul)],
            Some(Inst::Ldi(ldi)) => [(true, ldi.cond_add), (true, ldi.cond_mul)],
            _ => return,
        };
        if !self.asm.has_halves() {
            return;
        }
        for (_, cond) in conds.into_iter().filter(|cond| cond.0) {
            let flag = match cond {
                Cond::Always | Cond::Never => continue,
                Cond::Zs | Cond::Zc => mask::Z,
                Cond::Ns | Cond::Nc => mask::N,
                Cond::Cs | Cond::Cc => mask::C,
            };
            if !std::mem::replace(&mut self.widened[usize::from(flag) - 1], true) {
                self.asm.widen(flag);
            }
        }
    }

    /// Notes the lanes written, where the next instruction's check looks at them.
    pub(super) fn record(&mut self, at: Place, conds: [Cond; 2]) {
        if !self.code.known(at.index).is_some_and(|k| k.records) {
            return;
        }
        let constant = |cond: Cond| if cond == Cond::Always { 0xffff } else { 0 };
        self.asm.store_constant(constant(conds[0]) | constant(conds[1]) << 16, R12, core::RECORDED);
        for (n, cond) in conds.into_iter().enumerate() {
            if cond.is_conditional() {
                let mask = self.condition(cond, mask::T);
                self.asm.kstore(mask, R12, core::RECORDED + 2 * n as i32);
            }
        }
    }
}
