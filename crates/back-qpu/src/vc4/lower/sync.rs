//! Synchronisation and probes.

use super::cx::Cx;
use crate::vc4::minst::{Dst, MInst, Oper, ProbePoint, Reg, Src, imm};
use kir::{Inst, Op};
use quadra_isa::vc4::Waddr;
use quadra_kir as kir;

impl<'k> Cx<'k> {
    pub(super) fn sync(&mut self, inst: &'k Inst) {
        match inst.op {
            // What others may see after this must have reached memory before it.
            Op::Fence | Op::Flush => self.wait_stores(),
            Op::SemaInc => {
                self.wait_stores();
                self.emit(MInst::new(Oper::Sema(false, inst.imm as u8), Dst::None, &[]));
            }
            Op::SemaDec => self.emit(MInst::new(Oper::Sema(true, inst.imm as u8), Dst::None, &[])),
            Op::MutexLock => self.lock(),
            Op::MutexUnlock => self.unlock(),
            Op::HostIrq => {
                self.wait_stores();
                self.emit(MInst::mov(Dst::Peripheral(Waddr::HOST_INT, None), imm(1)));
            }
            _ => self.probe(inst),
        }
    }

    pub(super) fn lock(&mut self) {
        self.emit(MInst::mov(Dst::None, Src::Mutex));
    }

    pub(super) fn unlock(&mut self) {
        self.wait_stores();
        self.emit(MInst::mov(Dst::Peripheral(Waddr::MUTEX_RELEASE, None), imm(0)));
    }

    fn probe(&mut self, inst: &'k Inst) {
        let operands: Vec<(Reg, kir::Type)> = inst.args.iter().map(|v| (self.reg(*v), self.kernel.ty(*v))).collect();
        let mask = inst.mask.map(|m| self.mask_reg(m));
        let text = inst.text.clone().unwrap_or_else(|| "".into());
        self.code.probes.push(ProbePoint {
            assert: inst.op == Op::Assert,
            comment: inst.op == Op::Comment,
            text,
            operands,
            mask,
        });
        let index = self.code.probes.len() as u32 - 1;
        self.emit(MInst::new(Oper::Probe(index), Dst::None, &[]));
    }
}
