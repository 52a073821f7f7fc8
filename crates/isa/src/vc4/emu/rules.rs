//! What becomes of a broken rule, and the rules that look at two instructions or at both results of one.

use super::LANES;
use super::code::{Code, Kind, outputs, physical_readers, rotates, slot};
use super::core::{Core, Shared, Stop};
use super::fault::{FaultKind, Warning};
use super::memory::Memory;
use crate::vc4::hazard::Severity;
use crate::vc4::imm::Rotation;
use crate::vc4::{Alu, File, Inst, Waddr, decode};

impl Code {
    /// Instruction `index`, decoded already or not; nothing if there is none, or it is invalid.
    pub fn inst_at(&self, index: usize, memory: &Memory) -> Option<Inst> {
        match self.ops.get(index) {
            Some(op) if op.kind != Kind::Unknown => Some(self.insts[index]),
            _ => decode(memory.code_word(self.region, index * 8)?).ok(),
        }
    }
}

impl Core {
    pub fn warn(&self, shared: &mut Shared, warning: Warning) {
        if !shared.warnings.iter().any(|w| w.repeats(&warning)) {
            shared.warnings.push(warning);
        }
    }

    /// Deals with a broken rule: a fault, or a warning where a board goes on and the program is not judged strictly.
    pub fn broken(
        &self,
        shared: &mut Shared,
        kind: FaultKind,
        lane: Option<usize>,
        address: Option<u32>,
    ) -> Result<(), Stop> {
        if shared.strict || kind.level() == Severity::Error {
            return Err(Stop::Fault(kind, lane, address));
        }
        self.warn(shared, Warning::Rule { qpu: self.number, index: self.index, lane, address, kind });
        Ok(())
    }

    /// Rules H01, H06 and H07 between an instruction and the one executed right before it.
    pub fn check_pair(&mut self, shared: &mut Shared, first: &Inst, second: &Inst) -> Result<(), Stop> {
        for (file, waddr, is_mul) in outputs(first) {
            let written = self.recorded[usize::from(is_mul)];
            match second {
                Inst::Alu(alu) => {
                    if waddr.is_physical() {
                        let lanes = physical_readers(alu, file, waddr).fold(0, |m, c| m | self.masks[c as usize]);
                        if lanes & written != 0 {
                            let lane = (lanes & written).trailing_zeros() as usize;
                            return Err(Stop::Fault(FaultKind::RegisterTooEarly, Some(lane), None));
                        }
                    } else if rotates(alu, waddr) {
                        self.check_rotation(shared, alu, waddr, written)?;
                    }
                }
                Inst::Branch(branch) if branch.reg && file == File::A && waddr.0 == branch.raddr_a && written != 0 => {
                    return Err(FaultKind::RegisterTooEarly.into());
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Only lanes whose data moves to a lower quad go wrong (measured, vc4asm addendum).
    fn check_rotation(&mut self, shared: &mut Shared, alu: &Alu, waddr: Waddr, written: u16) -> Result<(), Stop> {
        if waddr == Waddr::R5 && written != 0 {
            return Err(FaultKind::RotateAmountTooEarly.into());
        }
        let n = self.rotation_amount(alu);
        let condition = self.masks[alu.cond_mul as usize];
        let wrong = (0..LANES).filter(|lane| {
            let source = (lane + LANES - n) % LANES;
            lane / 4 < source / 4 && written >> source & 1 == 1 && condition >> lane & 1 == 1
        });
        let wrong = wrong.fold(0, |lanes, lane| lanes | 1 << lane);
        if wrong != 0 {
            self.broken(shared, FaultKind::RotateTooEarly, Some(u16::trailing_zeros(wrong) as usize), None)?;
            self.mark_rotation(shared, wrong);
        }
        Ok(())
    }

    pub fn rotation_amount(&self, alu: &Alu) -> usize {
        match alu.small_imm().and_then(|imm| imm.rotation()) {
            Some(Rotation::By(n)) => usize::from(n),
            Some(Rotation::R5) => self.slots[slot::R5 as usize].0[0] as usize & 15,
            None => 0,
        }
    }

    /// Both results go to one accumulator: harmless where they are the same.
    pub fn compare_results(&self, shared: &mut Shared, written: [u16; 2]) -> Result<(), Stop> {
        let both = written[0] & written[1];
        let (sum, product) = (&self.slots[slot::OUT_ADD as usize], &self.slots[slot::OUT_MUL as usize]);
        let differs = |lane: &usize| both >> lane & 1 == 1 && sum.0[*lane] != product.0[*lane];
        match (0..LANES).find(differs) {
            Some(lane) => Err(Stop::Fault(FaultKind::SameDestination, Some(lane), None)),
            None if both != 0 => self.broken(shared, FaultKind::SameValue, None, None),
            None => Ok(()),
        }
    }
}
