//! Loads, stores and requests: which path they take, and addresses.
//!
//! The TMUs, like the uniforms, are read through caches that do not see this launch's DMA stores. So a buffer that the
//! kernel may store to is loaded through the VPM by DMA, and every other one through a TMU.

use super::cx::Cx;
use crate::vc4::abi::UniformSlot;
use crate::vc4::minst::{Dst, MInst, Oper, Reg, imm};
use crate::vc4::vpm_plan::Width;
use kir::{Buf, Effect, Elem, Inst, Kernel, Op, Space, Value};
use quadra_isa::vc4::{AddOp, Cond, Signal, Waddr};
use quadra_kir as kir;
use quadra_passes::analysis::coherence;

pub(crate) struct BufferFacts {
    pub through_dma: Vec<bool>,
    /// Whether there are explicit requests.
    pub requests: bool,
    /// Whether plain loads go through a TMU.
    pub plain_tmu: bool,
}

/// What the kernel does to each buffer; with `alias`, buffers of one launch may be the same memory, and those of the
/// `uncached` parameters are written by other means than the kernel shows.
pub(crate) fn buffer_facts(kernel: &Kernel, alias: bool, uncached: u64) -> BufferFacts {
    let named = coherence::named(kernel, uncached);
    let shared = |b: Buf| kernel.bufs[b].space == Space::Shared;
    let mut stored: Vec<bool> = kernel.bufs.ids().map(|b| shared(b) || named.contains(&b)).collect();
    let mut requests = false;
    kernel.body.walk(&mut |inst| {
        requests |= inst.op == Op::TmuRequest;
        if matches!(inst.op.info().effect, Effect::Write | Effect::ReadWrite)
            && let Some(buf) = inst.buf
        {
            stored[buf.index()] = true;
        }
    });
    let stores = stored.iter().any(|s| *s);
    if alias && stores {
        stored.iter_mut().for_each(|s| *s = true);
    }
    let plain_tmu = kernel
        .body
        .any(&mut |inst| matches!(inst.op, Op::Load | Op::LoadRow) && inst.buf.is_some_and(|b| !stored[b.index()]));
    BufferFacts { through_dma: stored, requests, plain_tmu }
}

/// Where addresses for a TMU go.
fn tmu_of(second: bool) -> Waddr {
    if second { Waddr::TMU1_S } else { Waddr::TMU0_S }
}

impl<'k> Cx<'k> {
    pub(super) fn memory(&mut self, inst: &'k Inst) {
        if inst.op == Op::TmuReceive {
            let second = self.by_name.receives.contains(&inst.result());
            return self.receive(inst, if second { Signal::LoadTmu1 } else { Signal::LoadTmu0 });
        }
        let Some(buf) = inst.buf else { return self.error("a memory operation without a buffer") };
        let info = &self.kernel.bufs[buf];
        let elem = info.elem;
        let narrow = matches!(elem, Elem::I8 | Elem::I16);
        let fits = elem.bytes() == 4 || narrow && !matches!(inst.op, Op::TmuRequest | Op::StoreRows);
        if !fits || info.rank != 1 && inst.op != Op::TmuRequest {
            let name = &info.name;
            let text = format!("buffer `{name}` is not a flat array of integers of 8 to 32 bits or of 32-bit floats");
            self.error(text);
            for &r in &inst.results {
                let zero = self.const_reg(0);
                self.set(r, zero);
            }
            return;
        }
        if !inst.mode.is_plain() {
            self.error(format!("access mode `{}` has no meaning for the QPU", inst.mode.name()));
        }
        // A mask that is one truth value for all lanes is a branch, and so is the question whether any lane wants the one
        // element that an access is about.
        let scalar = |v: &Value| !self.is_vector(*v);
        let one = matches!(inst.op, Op::Load | Op::Store) && inst.args.iter().all(scalar);
        // Arrays in registers are read and written under any mask.
        if let Some(mask) = inst.mask
            && (one && !self.is_held(buf) || scalar(&mask))
            && self.kernel.as_const(mask).is_none()
        {
            return self.under_branch(inst, mask);
        }
        let mask = inst.mask.filter(|m| self.kernel.as_const(*m).is_none_or(|c| c.bits & 1 == 0));
        self.access(inst, buf, mask);
    }

    fn under_branch(&mut self, inst: &'k Inst, mask: Value) {
        let buf = inst.buf.expect("checked by the caller");
        // Operands are computed on both ways, because later code may use them.
        inst.args.iter().for_each(|v| {
            self.src(*v);
        });
        let out = inst.results.first().map(|r| {
            let d = self.fresh();
            self.emit(MInst::mov(d, imm(0)));
            (*r, d)
        });
        self.only_if(mask, |cx| {
            cx.access(inst, buf, None);
            if let Some((r, d)) = out {
                let s = cx.src(r);
                cx.emit(MInst::mov(d, s));
            }
        });
        if let Some((r, d)) = out {
            self.set(r, d);
        }
    }

    fn access(&mut self, inst: &'k Inst, buf: Buf, mask: Option<Value>) {
        if self.is_held(buf) {
            return self.held_access(inst, buf, mask);
        }
        let dma = self.through_dma[buf.index()];
        match inst.op {
            Op::TmuRequest => self.request(inst, buf, mask),
            Op::Load | Op::LoadRow if dma => self.dma_load(inst, buf, mask),
            Op::Load | Op::LoadRow => self.tmu_load(inst, buf, mask),
            Op::StoreRows => self.store_rows(inst, buf),
            _ => self.dma_store(inst, buf, mask),
        }
    }

    // Addresses.

    /// The register with a buffer's address.
    pub(super) fn base(&mut self, buf: Buf) -> Reg {
        match self.kernel.params.iter().position(|p| *p == kir::Param::Buffer(buf)) {
            Some(i) => self.uniform(UniformSlot::Address(i)),
            None => self.shared_base(buf),
        }
    }

    /// The register with a buffer's address plus four times the lane.
    pub(super) fn lane_base(&mut self, buf: Buf) -> Reg {
        let base = self.base(buf);
        self.plus_lanes(base)
    }

    /// The register with an address plus four times the lane.
    pub(super) fn plus_lanes(&mut self, base: Reg) -> Reg {
        if let Some(&r) = self.lane_bases.get(&base) {
            return r;
        }
        let lanes = self.lane4();
        let r = self.code.fresh();
        self.prologue.push(MInst::add(AddOp::Add, r, base, lanes));
        self.lane_bases.insert(base, r);
        r
    }

    /// The base that an operation's index is relative to: rows count lanes from a uniform index.
    pub(super) fn base_for(&mut self, inst: &Inst, buf: Buf) -> Reg {
        if matches!(inst.op, Op::LoadRow | Op::StoreRow) { self.lane_base(buf) } else { self.base(buf) }
    }

    pub(super) fn dim(&mut self, buf: Buf, axis: u32) -> Reg {
        match self.kernel.params.iter().position(|p| *p == kir::Param::Buffer(buf)) {
            Some(param) => self.uniform(UniformSlot::Dim { param, axis }),
            None => {
                let size = self.kernel.bufs[buf].dims.get(axis as usize).copied().unwrap_or(1);
                self.const_reg(size)
            }
        }
    }

    // TMU.

    fn tmu_load(&mut self, inst: &'k Inst, buf: Buf, mask: Option<Value>) {
        let second = self.second_tmu;
        let signal = if second { Signal::LoadTmu1 } else { Signal::LoadTmu0 };
        if self.width(buf) != Width::Word {
            return self.look_up_narrow(inst, buf, mask, (Dst::Peripheral(tmu_of(second), None), signal));
        }
        self.ask(inst, buf, mask, second);
        self.receive(inst, signal);
        if let Some(mask) = mask {
            // Lanes that are not live read 0.
            let r = self.reg(inst.result());
            let d = self.define(inst.result());
            self.emit(MInst::mov(d, r));
            let cond = self.condition(mask);
            self.emit(MInst::mov(d, imm(0)).when(cond.inverse()));
        }
    }

    fn request(&mut self, inst: &'k Inst, buf: Buf, mask: Option<Value>) {
        if inst.args.len() != 1 {
            return self.error("a request takes one index per lane");
        }
        let second = self.by_name.buffers.contains(&buf);
        self.ask(inst, buf, mask, second);
    }

    /// Starts a lookup of each lane's word; lanes that are not live look at the buffer's first word.
    fn ask(&mut self, inst: &'k Inst, buf: Buf, mask: Option<Value>, second: bool) {
        let tmu = Dst::Peripheral(tmu_of(second), None);
        let index = inst.args[0];
        let base = self.base_for(inst, buf);
        let Some(mask) = mask else { return self.address(tmu, base, index) };
        let harmless = self.base(buf);
        // The offset first: it may be shared, and a conditional write would leave it undefined in dead lanes.
        let offset = self.byte_offset(index);
        let a = self.fresh();
        self.emit(MInst::mov(a, harmless));
        let cond = self.condition(mask);
        self.emit(MInst::add(AddOp::Add, a, base, offset).when(cond));
        self.emit(MInst::mov(tmu, a));
    }

    fn receive(&mut self, inst: &'k Inst, signal: Signal) {
        self.emit(MInst::new(Oper::Signal(signal), Dst::None, &[]));
        let d = self.define(inst.result());
        self.emit(MInst::mov(d, Reg::R4));
    }

    /// Both TMUs by name: without this, half of the QPUs would use them the other way round.
    pub(super) fn disable_tmu_swap(&mut self) {
        self.emit(MInst::mov(Dst::Peripheral(Waddr::TMU_NOSWAP, None), imm(1)));
    }

    /// A vector of addresses for lane by lane DMA: those of the elements where the mask holds, `elsewhere` otherwise.
    pub(super) fn lane_addresses(&mut self, inst: &'k Inst, buf: Buf, mask: Option<Value>, elsewhere: Reg) -> Reg {
        let (base, offset) = match self.width(buf) {
            Width::Word => (self.base_for(inst, buf), self.byte_offset(inst.args[0])),
            width => (self.base(buf), self.narrow_offset(inst, width)),
        };
        let a = self.fresh();
        let Some(mask) = mask else {
            self.add(AddOp::Add, a, base, offset);
            return a;
        };
        self.emit(MInst::mov(a, elsewhere));
        let cond = self.condition(mask);
        let (base, offset) = self.pair(base.into(), offset);
        self.emit(MInst::add(AddOp::Add, a, base, offset).when(cond));
        a
    }

    /// Zeroes the lanes of a result where the mask does not hold.
    pub(super) fn clear_dead(&mut self, r: Reg, mask: Option<Value>) {
        if let Some(mask) = mask {
            let cond: Cond = self.condition(mask);
            self.emit(MInst::mov(r, imm(0)).when(cond.inverse()));
        }
    }

    /// The type of the elements of a buffer.
    pub(super) fn elem(&self, buf: Buf) -> Elem {
        self.kernel.bufs[buf].elem
    }
}
