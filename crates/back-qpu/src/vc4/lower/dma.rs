//! Loads and stores through the VPM.
//!
//! A full row is one DMA transfer of 16 words, and so are live lanes in a row (`partial`). Anything else goes lane by lane in
//! the order of the lanes: the vector of addresses is rotated so that each lane's address comes to lane 0, from where the DMA
//! engine takes it, and the setup word moves along the row. Lanes that are not live load the buffer's first word, or store to this QPU's scratch area.

mod partial;

use super::cx::Cx;
use super::together::Pitch;
use crate::vc4::abi::UniformSlot;
use crate::vc4::minst::{Dst, MInst, Reg, Rotate, Src, Term, imm, shift_count};
use crate::vc4::vpm_plan::{self, FIRST_STORE_ROW, Width};
use kir::{Buf, Inst, Op, Value};
use quadra_isa::vc4::AddOp;
use quadra_kir as kir;

/// Rows one behind the other.
const CLOSE: Pitch = Pitch::Words(16);

/// Lanes per iteration of the loop that goes lane by lane: more is faster and longer. Masked rows take the way of all lanes at
/// once as a rule, so their loop is kept short.
fn unrolled(mask: Option<Value>) -> u32 {
    if mask.is_some() { 4 } else { 8 }
}

impl<'k> Cx<'k> {
    /// Reads the rows that DMA loads arrive in. The sequence starts with the DMA's own instructions.
    fn read_load_rows(&mut self, to: &[Reg]) {
        let setup = self.uniform(vpm_plan::vpm_read_rows(FIRST_STORE_ROW, to.len() as u32));
        self.emit(MInst::mov(Dst::RD_SETUP, setup).glue());
        to.iter().for_each(|&d| self.emit(MInst::mov(d, Src::Vpm).glue()));
    }

    pub(super) fn dma_load(&mut self, inst: &'k Inst, buf: Buf, mask: Option<Value>) {
        let result = inst.result();
        let row = inst.op == Op::LoadRow;
        let vector = self.kernel.ty(result).lanes;
        if row && mask.is_none() {
            if self.together.others.contains(&result) {
                // It came with the first row of its group.
                return;
            }
            let group = self.together.groups.get(&result).cloned();
            let others = group.iter().flat_map(|g| g.others.iter().copied());
            let to: Vec<Reg> = [result].into_iter().chain(others).map(|v| self.define(v)).collect();
            return self.load_rows(inst, buf, &to, group.map_or(CLOSE, |g| g.pitch));
        }
        if !vector && mask.is_none() {
            return self.load_scalar(inst, buf);
        }
        let d = self.fresh();
        match mask {
            Some(mask) if row => {
                // Mostly all lanes are live.
                let (slow, fast, join) = (self.new_block(), self.new_block(), self.new_block());
                self.branch_if_any_dead(mask, slow, fast);
                self.start(fast);
                self.load_rows(inst, buf, &[d], CLOSE);
                self.finish_block(Term::Jump(join));
                self.start(slow);
                self.load_lanes(inst, buf, Some(mask), d);
                self.finish_block(Term::Jump(join));
                self.start(join);
            }
            _ => self.load_lanes(inst, buf, mask, d),
        }
        self.set(result, d);
    }

    fn branch_if_any_dead(&mut self, mask: Value, dead: usize, alive: usize) {
        let cond = super::bools::any_of(self.condition(mask).inverse());
        self.finish_block(Term::Branch { cond, taken: dead, other: alive });
    }

    fn load_rows(&mut self, inst: &'k Inst, buf: Buf, to: &[Reg], pitch: Pitch) {
        let base = self.base(buf);
        let width = self.width(buf);
        if let (Width::Byte | Width::Half, &[d]) = (width, to) {
            let setup = self.uniform(vpm_plan::dma_load_packed(FIRST_STORE_ROW, width));
            let read = self.uniform(vpm_plan::vpm_read_packed(FIRST_STORE_ROW, width));
            let address = self.element_address(buf, inst.args[0]);
            self.load(setup, address);
            self.emit(MInst::mov(Dst::RD_SETUP, read).glue());
            self.emit(MInst::mov(d, Src::Vpm).glue());
            return self.widen(d, width);
        }
        let pitch = (pitch != CLOSE).then(|| self.pitch(pitch));
        let setup = vpm_plan::dma_load_rows(FIRST_STORE_ROW, to.len() as u32, pitch.is_none());
        let setup = self.uniform(setup);
        let address = self.address_inst(base, inst.args[0]);
        if let Some(pitch) = pitch {
            self.wait_stores();
            self.emit(MInst::mov(Dst::RD_SETUP, pitch));
        }
        self.load(setup, address);
        self.read_load_rows(to);
    }

    /// A transfer with this setup from where the instruction computes, to its end.
    fn load(&mut self, setup: Reg, address: MInst) {
        self.wait_stores();
        self.emit(MInst::mov(Dst::RD_SETUP, setup));
        self.emit(MInst { dst: Dst::LD_ADDR, ..address }.glue());
        self.emit(MInst::mov(Dst::None, Src::LoadWait).glue());
    }

    /// The setup word of the distance between the rows of a load.
    fn pitch(&mut self, pitch: Pitch) -> Reg {
        match pitch {
            Pitch::Words(words) => self.uniform(UniformSlot::Const(vpm_plan::dma_load_pitch(4 * words as u32))),
            Pitch::Value(v, shift) => {
                let word = self.uniform(UniformSlot::Const(vpm_plan::dma_load_pitch(0)));
                let v = self.src(v);
                let bytes = self.add_new(AddOp::Shl, v, shift_count(2 + shift));
                self.add_new(AddOp::Add, word, bytes)
            }
        }
    }

    fn load_scalar(&mut self, inst: &'k Inst, buf: Buf) {
        let width = self.width(buf);
        let setup = self.uniform(vpm_plan::dma_load_one(FIRST_STORE_ROW, width));
        let address = self.element_address(buf, inst.args[0]);
        self.load(setup, address);
        let t = self.fresh();
        self.read_load_rows(&[t]);
        let d = self.define(inst.result());
        self.spread(d, t);
        self.widen(d, width);
    }

    fn load_lanes(&mut self, inst: &'k Inst, buf: Buf, mask: Option<Value>, d: Reg) {
        let harmless = self.base(buf);
        let a = self.lane_addresses(inst, buf, mask, harmless);
        let width = self.width(buf);
        let setup = self.uniform(vpm_plan::dma_load_one(FIRST_STORE_ROW, width));
        let read = self.uniform(vpm_plan::vpm_read(FIRST_STORE_ROW));
        let s = self.fresh();
        self.emit(MInst::mov(s, setup));
        self.wait_stores();
        let a = self.rotatable(a);
        let lanes = unrolled(mask);
        self.repeat(16 / lanes, |cx| {
            for _ in 0..lanes {
                cx.emit(MInst::mov(Dst::RD_SETUP, s));
                cx.emit(MInst::mov(Dst::LD_ADDR, a).glue());
                cx.emit(MInst::mov(Dst::None, Src::LoadWait).glue());
                cx.rotate_in_place(a);
                cx.add(AddOp::Add, s, s, imm(1));
            }
        });
        self.staging.all_stored();
        self.emit(MInst::mov(Dst::RD_SETUP, read));
        self.emit(MInst::mov(d, Src::Vpm).glue());
        self.widen(d, width);
        self.clear_dead(d, mask);
    }

    pub(super) fn dma_store(&mut self, inst: &'k Inst, buf: Buf, mask: Option<Value>) {
        let value = inst.args[1];
        let one = !self.is_vector(value) && !self.is_vector(inst.args[0]);
        let together = inst.op == Op::StoreRow || self.distance(inst).is_some();
        match mask {
            None if together => self.store_together(inst, buf),
            None if one => self.store_from_row(inst, buf, value, vpm_plan::dma_store_one),
            Some(mask) if together => {
                let (slow, fast, join) = (self.new_block(), self.new_block(), self.new_block());
                self.branch_if_any_dead(mask, slow, fast);
                self.start(fast);
                self.store_together(inst, buf);
                self.finish_block(Term::Jump(join));
                self.start(slow);
                self.store_live(inst, buf, mask);
                self.finish_block(Term::Jump(join));
                self.start(join);
            }
            Some(mask) => {
                // What only the last item stores, say, costs the others a branch.
                let (some, join) = (self.new_block(), self.new_block());
                let cond = super::bools::any_of(self.condition(mask));
                self.finish_block(Term::Branch { cond, taken: some, other: join });
                self.start(some);
                self.store_lanes(inst, buf, Some(mask), value);
                self.finish_block(Term::Jump(join));
                self.start(join);
            }
            None => self.store_lanes(inst, buf, None, value),
        }
    }

    /// All lanes in one transfer.
    fn store_together(&mut self, inst: &'k Inst, buf: Buf) {
        match self.distance(inst) {
            Some(stride) => self.store_strided(inst, buf, stride),
            None => self.store_from_row(inst, buf, inst.args[1], vpm_plan::dma_store_row),
        }
    }

    /// One transfer from the start of a row of this QPU to `base + 4 * index`. It runs on while the program continues; the
    /// next user of the row waits.
    fn store_from_row(&mut self, inst: &'k Inst, buf: Buf, value: Value, setup: fn(u32, Width) -> UniformSlot) {
        let width = self.width(buf);
        let value = self.reg(value);
        let address = self.element_address(buf, inst.args[0]);
        let row = self.take_rows(1);
        let setup = self.uniform(setup(row, width));
        if width != Width::Word && inst.op == Op::StoreRow {
            let write = self.uniform(vpm_plan::vpm_write_packed(row, width));
            self.emit(MInst::mov(Dst::WR_SETUP, write));
            self.emit(MInst::mov(Dst::VPM, value).glue());
        } else {
            self.write_rows(row, &[value]);
        }
        self.emit(MInst::mov(Dst::WR_SETUP, setup).glue());
        self.emit(MInst { dst: Dst::ST_ADDR, ..address }.glue());
    }

    fn store_lanes(&mut self, inst: &'k Inst, buf: Buf, mask: Option<Value>, value: Value) {
        let value = self.reg(value);
        let trash = self.trash();
        let a = self.lane_addresses(inst, buf, mask, trash);
        let row = self.take_rows(1);
        let setup = self.uniform(vpm_plan::dma_store_one(row, self.width(buf)));
        let s = self.fresh();
        self.emit(MInst::mov(s, setup));
        self.write_rows(row, &[value]);
        let a = self.rotatable(a);
        // Stores that one QPU starts queue at the engine: py-videocore's hardware tests start 64 before they wait.
        let lanes = unrolled(mask);
        self.repeat(16 / lanes, |cx| {
            for _ in 0..lanes {
                cx.emit(MInst::mov(Dst::WR_SETUP, s));
                cx.emit(MInst::mov(Dst::ST_ADDR, a).glue());
                cx.rotate_in_place(a);
                cx.add(AddOp::Add, s, s, imm(8));
            }
        });
        self.staging.started(row);
    }

    /// Brings the next lane's element to lane 0; `a` lies in an accumulator.
    pub(super) fn rotate_in_place(&mut self, a: Reg) {
        self.emit(MInst { rotate: Rotate::By(15), ..MInst::mov(a, a) });
    }

    /// The address of 64 bytes of this QPU's own, where stores of lanes that are not live go.
    pub(super) fn trash(&mut self) -> Reg {
        self.scratch_bytes = self.scratch_bytes.max(64);
        self.uniform(UniformSlot::Scratch(0))
    }
}
