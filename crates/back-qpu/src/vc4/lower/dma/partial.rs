//! Stores of which only some lanes are live: those at the border of an extent are lanes in a row, and go in one transfer of as
//! many words. One by one each of them would take 39 clocks to start.
//!
//! The live lanes as the bits of a number `b`: with its lowest bit added, the carry runs up to the first dead lane. If nothing
//! of `b` is left then, there are no live lanes behind it.

use super::super::cx::Cx;
use crate::vc4::abi::UniformSlot;
use crate::vc4::minst::{Dst, MInst, Reg, Src, Term, imm};
use crate::vc4::vpm_plan::{self, Width};
use kir::{Buf, Inst, Op, Value};
use quadra_isa::vc4::{AddOp, BranchCond, Cond};
use quadra_kir as kir;

impl<'k> Cx<'k> {
    /// Stores the live lanes of a row, or of elements at equal distances.
    pub(super) fn store_live(&mut self, inst: &'k Inst, buf: Buf, mask: Value) {
        let (value, stride) = (inst.args[1], self.distance(inst));
        if stride.is_none() && (inst.op != Op::StoreRow || self.width(buf) != Width::Word) {
            return self.store_lanes(inst, buf, Some(mask), value);
        }
        let live = self.live_lanes(mask);
        let [some, apart, run, join] = [(); 4].map(|()| self.new_block());
        self.emit(MInst::mov(Dst::None, live).flags());
        self.finish_block(Term::Branch { cond: BranchCond::AnyZc, taken: some, other: join });

        self.start(some);
        let minus = self.add_new(AddOp::Sub, imm(0), live);
        let lowest = self.add_new(AddOp::And, live, minus);
        let carried = self.add_new(AddOp::Add, live, lowest);
        self.emit(MInst::add(AddOp::And, Dst::None, live, carried).flags());
        self.finish_block(Term::Branch { cond: BranchCond::AnyZc, taken: apart, other: run });

        self.start(run);
        self.store_run(inst, buf, (lowest, carried), stride);
        self.finish_block(Term::Jump(join));

        self.start(apart);
        self.store_lanes(inst, buf, Some(mask), value);
        self.finish_block(Term::Jump(join));
        self.start(join);
    }

    /// The live lanes as the bits of a number.
    fn live_lanes(&mut self, mask: Value) -> Reg {
        let (one, bits) = (self.fresh(), self.fresh());
        self.emit(MInst::mov(one, imm(1)));
        let bit = self.add_new(AddOp::Shl, one, Src::Element);
        self.emit(MInst::mov(bits, imm(0)));
        let cond: Cond = self.condition(mask);
        self.emit(MInst::mov(bits, bit).when(cond));
        let mut all = bits;
        for by in [8, 4, 2, 1] {
            let turned = self.fresh();
            self.rotate_by(turned, all, by);
            all = self.add_new(AddOp::Or, all, turned);
        }
        all
    }

    /// One transfer of the lanes from the `lowest` bit up to the one that was `carried`.
    fn store_run(&mut self, inst: &'k Inst, buf: Buf, (lowest, carried): (Reg, Reg), stride: Option<i32>) {
        let value = self.reg(inst.args[1]);
        let base = self.base(buf);
        let zeros = self.add_new(AddOp::Clz, lowest, lowest);
        let after = self.add_new(AddOp::Clz, carried, carried);
        let count = self.add_new(AddOp::Sub, zeros, after);
        let top = self.const_reg(31);
        let first = self.add_new(AddOp::Sub, top, zeros);
        // The address of the first of them.
        let start = self.fresh();
        let behind = match stride {
            Some(stride) => {
                let start_of_all = self.lane_addresses(inst, buf, None, base);
                self.emit(MInst::mov(start, start_of_all));
                let bytes = self.const_reg(4 * stride as u32);
                let behind = self.fresh();
                self.emit(MInst::mul(quadra_isa::vc4::MulOp::Mul24, behind, first, bytes));
                behind
            }
            None => {
                let address = self.element_address(buf, inst.args[0]);
                self.emit(MInst { dst: start.into(), ..address });
                self.add_new(AddOp::Shl, first, imm(2))
            }
        };
        let row = self.take_rows(1);
        let (none, shift) = match stride {
            Some(_) => (vpm_plan::dma_store_no_words(row), 23),
            None => (vpm_plan::dma_store_none(row), 16),
        };
        let none = self.uniform(none);
        let shift = self.const_reg(shift);
        let words = self.add_new(AddOp::Shl, count, shift);
        let from = self.add_new(AddOp::Shl, first, imm(3));
        let setup = self.add_new(AddOp::Add, none, words);
        let setup = self.add_new(AddOp::Add, setup, from);
        let gap = stride.map(|s| self.uniform(UniformSlot::Const(vpm_plan::dma_store_gap(4 * (s as u32 - 1)))));
        self.write_rows(row, &[value]);
        if let Some(gap) = gap {
            self.emit(MInst::mov(Dst::WR_SETUP, gap).glue());
        }
        self.emit(MInst::mov(Dst::WR_SETUP, setup).glue());
        self.emit(MInst::add(AddOp::Add, Dst::ST_ADDR, start, behind).glue());
    }
}
