//! Launches over an extent: each worker runs the groups whose number is its own modulo the number of workers.
//!
//! The group's index is kept per axis. The innermost one advances by the number of workers and carries into the others.

use super::cx::Cx;
use crate::vc4::abi::UniformSlot;
use crate::vc4::minst::{BlockId, Dst, MInst, Reg, Src, Term, imm};
use kir::{Inst, Op};
use quadra_isa::vc4::{AddOp, BranchCond, Cond};
use quadra_kir as kir;

/// The loop over the groups.
pub(super) struct Grid {
    /// The present group along each axis, the innermost last.
    group: Vec<Reg>,
    /// Where `return` goes: to the next group.
    next: BlockId,
}

impl<'k> Cx<'k> {
    /// Items of a group along an axis of the extent: groups lie along the innermost axes.
    fn group_items(&self, axis: u32) -> u32 {
        let (sizes, axes) = (&self.kernel.group, self.kernel.over as usize);
        (axis as usize + sizes.len()).checked_sub(axes).and_then(|i| sizes.get(i)).copied().unwrap_or(1)
    }

    pub(super) fn num_groups(&mut self, axis: u32) -> Reg {
        let group = self.group_items(axis);
        self.uniform(UniformSlot::NumGroups { axis, group })
    }

    pub(super) fn grid(&mut self) {
        let kernel = self.kernel;
        let axes = kernel.over as u32;
        let totals: Vec<Reg> = (0..axes).map(|axis| self.num_groups(axis)).collect();
        let group: Vec<Reg> = (0..axes).map(|_| self.fresh()).collect();
        let (worker, step) = (self.uniform(UniformSlot::Worker), self.uniform(UniformSlot::NumWorkers));
        let inner = group[axes as usize - 1];
        for &g in &group {
            let first = if g == inner { Src::Reg(worker) } else { imm(0) };
            self.emit(MInst::mov(g, first));
        }
        let end = self.end;
        // Carrying out of an axis without groups would never end.
        for &total in &totals[1..] {
            let more = self.new_block();
            self.emit(MInst::mov(Dst::None, total).flags());
            self.finish_block(Term::Branch { cond: BranchCond::AnyZs, taken: end, other: more });
            self.start(more);
        }
        self.depth += 1;
        let (first, body, next) = (self.new_block(), self.new_block(), self.new_block());
        self.finish_block(Term::Jump(first));
        self.start(first);
        for axis in (1..axes as usize).rev() {
            self.carry(group[axis], group[axis - 1], totals[axis]);
        }
        self.emit(MInst::add(AddOp::Max, Dst::None, totals[0], group[0]).flags());
        self.finish_block(Term::Branch { cond: BranchCond::AnyCs, taken: body, other: end });
        self.start(body);
        self.grid = Some(Grid { group, next });
        self.clear_shared();
        self.block(&kernel.body);
        self.start(next);
        self.add(AddOp::Add, inner, inner, step);
        self.finish_block(Term::Jump(first));
        self.depth -= 1;
    }

    /// While `low` is not below `total`: takes `total` off it and adds 1 to `high`.
    fn carry(&mut self, low: Reg, high: Reg, total: Reg) {
        let (test, more, done) = (self.new_block(), self.new_block(), self.new_block());
        self.finish_block(Term::Jump(test));
        self.start(test);
        self.emit(MInst::add(AddOp::Max, Dst::None, total, low).flags());
        self.finish_block(Term::Branch { cond: BranchCond::AnyCs, taken: done, other: more });
        self.start(more);
        self.add(AddOp::Sub, low, low, total);
        self.add(AddOp::Add, high, high, imm(1));
        self.finish_block(Term::Jump(test));
        self.start(done);
    }

    /// `group` and `lane.active`; `None` in a kernel without extent.
    pub(super) fn grid_position(&mut self, inst: &'k Inst) -> Option<Reg> {
        let group = self.grid.as_ref().map(|g| g.group.clone())?;
        let inner = group.len() - 1;
        if inst.op == Op::Group {
            return group.get(inst.imm as usize).copied();
        }
        let extent = self.uniform(UniformSlot::Extent(inner as u32));
        let first = self.add_new(AddOp::Shl, group[inner], imm(4));
        let lane = self.fresh();
        self.emit(MInst::mov(lane, Src::Element));
        let item = self.add_new(AddOp::Add, first, lane);
        let d = self.fresh();
        self.emit(MInst::mov(d, imm(0)));
        self.emit(MInst::add(AddOp::Max, Dst::None, extent, item).flags());
        self.emit(MInst::mov(d, imm(1)).when(Cond::Cs));
        Some(d)
    }

    /// Where `return` goes.
    pub(super) fn return_target(&self) -> BlockId {
        self.grid.as_ref().map_or(self.end, |g| g.next)
    }
}
