//! Branches and the program end.

use super::Lanes;
use super::code::{Code, Op, outputs, post};
use super::core::{Core, Shared, Stop, Target, plain_slot};
use super::fault::FaultKind;
use crate::vc4::{File, Inst};

impl Core {
    /// The program end signal: checks the last three instructions and lets two more run.
    pub fn end(&mut self, shared: &mut Shared, code: &Code) -> Result<(), Stop> {
        if self.delay != 0 {
            return Err(FaultKind::BranchAtEnd.into());
        }
        let last = code.insts[self.index..].iter().take(3);
        for (i, inst) in last.enumerate() {
            for (_, waddr, _) in inst.writes() {
                match waddr.0 {
                    48..=50 => self.broken(shared, FaultKind::EndAccess, None, None)?,
                    14 => return Err(FaultKind::EndRegister14.into()),
                    ..32 if i == 0 => return Err(FaultKind::EndWrite.into()),
                    _ => {}
                }
            }
            let Inst::Alu(alu) = inst else { continue };
            for raddr in [alu.read(File::A), alu.read(File::B)].into_iter().flatten() {
                match raddr.0 {
                    32 | 35 | 48..=50 => self.broken(shared, FaultKind::EndAccess, None, None)?,
                    14 => return Err(FaultKind::EndRegister14.into()),
                    _ => {}
                }
            }
        }
        self.delay = 3;
        self.target = Target::End;
        Ok(())
    }

    /// Executes a branch that has a condition and a target in the same region and nothing else, outside delay slots.
    #[inline(always)]
    pub fn jump(&mut self, op: &Op) -> Result<(), Stop> {
        if self.within(self.branch_at, 3) {
            return Err(FaultKind::BranchTooClose.into());
        }
        self.branch_at = self.counts.issued;
        self.recorded = [0; 2];
        if op.jump.is_some_and(|cond| self.flags.holds(cond)) {
            self.check_target = op.post & post::CHECK_TARGET != 0;
            (self.delay, self.target) = (4, Target::Index(op.index as usize));
            self.recorded = [!0; 2];
        }
        Ok(())
    }

    /// Executes a branch.
    pub fn branch(&mut self, shared: &mut Shared, code: &Code, op: &Op) -> Result<(), Stop> {
        let Inst::Branch(branch) = code.insts[self.index] else { return Ok(()) };
        if self.within(self.branch_at, 3) {
            return Err(FaultKind::BranchTooClose.into());
        }
        self.branch_at = self.counts.issued;
        self.recorded = [0; 2];
        if self.stale.is_some() {
            self.branch_on_marks(shared, &branch)?;
        }
        if !self.flags.holds(branch.cond) {
            return Ok(());
        }
        let next = code.base.wrapping_add(8 * self.index as u32).wrapping_add(32);
        let register = self.slots[usize::from(branch.raddr_a & 31)].0[15];
        let target = if op.index as usize <= code.count {
            Target::Index(op.index as usize)
        } else {
            let base = if branch.rel { next } else { 0 };
            let offset = if branch.reg { register } else { 0 };
            Target::Address(base.wrapping_add(offset).wrapping_add(branch.imm as u32))
        };
        self.check_target = op.post & post::CHECK_TARGET != 0 || matches!(target, Target::Address(_));
        match self.delay {
            0 => (self.delay, self.target) = (4, target),
            _ if self.target == Target::End => return Err(FaultKind::BranchAtEnd.into()),
            _ => self.chained = Some(target),
        }
        let link = Lanes::splat(next);
        for (file, waddr, _) in outputs(&code.insts[self.index]) {
            match plain_slot(file, waddr) {
                Some(to) => self.slots[to as usize] = link,
                None => self.write_special(shared, file, waddr, &link, !0)?,
            }
        }
        self.recorded = [!0; 2];
        if branch.raddr_a & 1 == 1 {
            self.flags.update(!0, &link, 0);
            self.refresh_masks();
        }
        Ok(())
    }
}
