//! Buffers of 8- and 16-bit integers, which are 32 bits wide in registers.
//!
//! A TMU looks up the whole word around an address, from which shifts take the element. Transfers by DMA move bytes and
//! halves: rows packed in the VPM, single elements in a word each, so that no store touches its neighbours.

use super::cx::Cx;
use crate::vc4::minst::{Dst, MInst, Oper, Reg, Src, imm, shift_count};
use crate::vc4::vpm_plan::Width;
use kir::{Buf, Inst, Op, Value};
use quadra_isa::vc4::{AddOp, Signal};
use quadra_kir as kir;

impl<'k> Cx<'k> {
    /// The size of the elements of a buffer that the caller has checked.
    pub(super) fn width(&self, buf: Buf) -> Width {
        Width::of_bytes(self.elem(buf).bytes()).unwrap_or(Width::Word)
    }

    /// The instruction that computes the address of the element, or of the first one of the row, at a scalar index.
    pub(super) fn element_address(&mut self, buf: Buf, index: Value) -> MInst {
        let base = self.base(buf);
        match self.width(buf) {
            Width::Word => self.address_inst(base, index),
            width => {
                let index = self.src(index);
                let offset = self.scaled(index, width);
                let (base, offset) = self.pair(base.into(), offset);
                MInst::add(AddOp::Add, Dst::None, base, offset)
            }
        }
    }

    /// Bytes from the start of a buffer to each lane's element.
    pub(super) fn narrow_offset(&mut self, inst: &Inst, width: Width) -> Src {
        let mut index = self.src(inst.args[0]);
        if matches!(inst.op, Op::LoadRow | Op::StoreRow) {
            let lane = self.fresh();
            self.emit(MInst::mov(lane, Src::Element));
            index = self.add_new(AddOp::Add, index, lane).into();
        }
        self.scaled(index, width)
    }

    fn scaled(&mut self, index: Src, width: Width) -> Src {
        match width.log2() {
            0 => index,
            shift => self.add_new(AddOp::Shl, index, shift_count(shift)).into(),
        }
    }

    /// Elements of a buffer through a TMU, which gets addresses and answers with a signal.
    pub(super) fn look_up_narrow(
        &mut self,
        inst: &'k Inst,
        buf: Buf,
        mask: Option<Value>,
        (tmu, signal): (Dst, Signal),
    ) {
        let harmless = self.base(buf);
        let address = self.lane_addresses(inst, buf, mask, harmless);
        self.emit(MInst::mov(tmu, address));
        self.emit(MInst::new(Oper::Signal(signal), Dst::None, &[]));
        let word = self.fresh();
        self.emit(MInst::mov(word, Reg::R4));
        let byte = self.add_new(AddOp::And, address, imm(3));
        let bits = self.add_new(AddOp::Shl, byte, imm(3));
        let d = self.define(inst.result());
        self.add(AddOp::Shr, d, word, bits);
        self.widen(d, self.width(buf));
        self.clear_dead(d, mask);
    }

    /// Extends the sign of the elements in the low bits of a register.
    pub(super) fn widen(&mut self, r: Reg, width: Width) {
        let bits = match width {
            Width::Byte => 24,
            Width::Half => 16,
            Width::Word => return,
        };
        self.add(AddOp::Shl, r, r, shift_count(bits));
        self.add(AddOp::Asr, r, r, shift_count(bits));
    }
}
