//! Atomic operations: lane by lane under the mutex of the chip.

use super::cx::Cx;
use crate::vc4::minst::{Dst, MInst, Reg, Src, imm};
use crate::vc4::vpm_plan::{self, FIRST_STORE_ROW, Width};
use kir::{Elem, Inst, Op};
use quadra_isa::vc4::{AddOp, Cond, MulOp};
use quadra_kir as kir;

impl<'k> Cx<'k> {
    /// Copies of vectors, which can be rotated in place.
    pub(super) fn copies(&mut self, of: &[Reg]) -> Vec<Reg> {
        let copy = |r: &Reg| {
            let t = self.fresh();
            self.emit(MInst::mov(t, *r));
            t
        };
        of.iter().map(copy).collect()
    }

    /// Each iteration handles the lane that has come to lane 0: load the element, compute, store, and rotate everything on.
    /// After 16 iterations every vector is back in its place.
    pub(super) fn atomic(&mut self, inst: &'k Inst) {
        let Some(buf) = inst.buf else { return self.error("an atomic operation without a buffer") };
        if inst.args.len() < 2 || self.elem(buf).bytes() != 4 {
            return self.error("atomic operations on the QPU need a flat array of 32-bit elements");
        }
        if self.is_held(buf) {
            return self.held_atomic(inst, buf);
        }
        let operands: Vec<Reg> = inst.args[1..].iter().map(|v| self.reg(*v)).collect();
        let trash = self.trash();
        let address = self.lane_addresses(inst, buf, inst.mask, trash);
        let moving = self.copies(&operands);
        let old = self.fresh();
        self.emit(MInst::mov(old, imm(0)));
        let load = self.uniform(vpm_plan::dma_load_one(FIRST_STORE_ROW, Width::Word));
        let read = self.uniform(vpm_plan::vpm_read(FIRST_STORE_ROW));
        self.wait_stores();
        let staging = self.take_rows(1);
        let store = self.uniform(vpm_plan::dma_store_one(staging, Width::Word));
        self.lock();
        let elem = self.elem(buf);
        self.repeat(16, |cx| {
            cx.emit(MInst::mov(Dst::RD_SETUP, load));
            cx.emit(MInst::mov(Dst::LD_ADDR, address).glue());
            cx.emit(MInst::mov(Dst::None, Src::LoadWait).glue());
            cx.emit(MInst::mov(Dst::RD_SETUP, read).glue());
            let was = cx.fresh();
            cx.emit(MInst::mov(was, Src::Vpm).glue());
            let new = cx.atomic_result(inst.op, elem, was, &moving);
            cx.write_rows(staging, &[new]);
            cx.emit(MInst::mov(Dst::WR_SETUP, store).glue());
            cx.emit(MInst::mov(Dst::ST_ADDR, address).glue());
            cx.emit(MInst::mov(Dst::None, Src::StoreWait));
            let lane = cx.fresh();
            cx.emit(MInst::mov(lane, Src::Element));
            cx.emit(MInst::mov(Dst::None, lane).flags());
            cx.emit(MInst::mov(old, was).when(Cond::Zs));
            for r in moving.iter().copied().chain([old, address]) {
                cx.rotate_by(r, r, 15);
            }
        });
        self.staging.all_stored();
        self.unlock();
        self.clear_dead(old, inst.mask);
        if let Some(&result) = inst.results.first() {
            self.set(result, old);
        }
    }

    pub(super) fn atomic_result(&mut self, op: Op, elem: Elem, was: Reg, operands: &[Reg]) -> Reg {
        let x = operands[0];
        if let Some(add) = one_operation(op, elem) {
            return self.add_new(add, was, x);
        }
        match op {
            Op::AtomicExchange => x,
            Op::AtomicMul if elem == Elem::F32 => {
                let d = self.fresh();
                self.emit(MInst::mul(MulOp::Fmul, d, was, x));
                d
            }
            Op::AtomicCompareExchange if operands.len() == 2 => {
                let d = self.fresh();
                self.emit(MInst::mov(d, was));
                self.emit(MInst::add(AddOp::Xor, Dst::None, was, x).flags());
                self.emit(MInst::mov(d, operands[1]).when(Cond::Zs));
                d
            }
            _ => {
                self.error(format!("`{}` of {elem} is not an operation of the QPU", op.mnemonic()));
                x
            }
        }
    }
}

/// The operation of the add ALU that an atomic one makes of the element and its operand, if it is one.
pub(super) fn one_operation(op: Op, elem: Elem) -> Option<AddOp> {
    let float = elem == Elem::F32;
    Some(match op {
        Op::AtomicAdd if float => AddOp::Fadd,
        Op::AtomicAdd => AddOp::Add,
        Op::AtomicSub if float => AddOp::Fsub,
        Op::AtomicSub => AddOp::Sub,
        Op::AtomicMin if float => AddOp::Fmin,
        Op::AtomicMin => AddOp::Min,
        Op::AtomicMax if float => AddOp::Fmax,
        Op::AtomicMax => AddOp::Max,
        Op::AtomicAnd => AddOp::And,
        Op::AtomicOr => AddOp::Or,
        Op::AtomicXor => AddOp::Xor,
        _ => return None,
    })
}
