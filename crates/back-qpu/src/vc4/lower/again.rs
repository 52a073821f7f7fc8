//! Several runs of a kernel in one launch: a barrier at the end, then back to the start.
//!
//! The uniforms of all runs lie one after the other, so that the next run finds its own where this one stopped reading:
//! other addresses, where buffers change places. The last word of each run's part says whether another one follows.
//!
//! ```text
//! members:  arrive   wait for release 1   arrive   wait for release 2
//! leader:   collect  release 1            collect  release 2
//! ```
//! Two rounds, because a member that is fast could otherwise take the release of a slow one in the next barrier: here the
//! leader begins a round only when everybody has left the one before.

use super::cx::Cx;
use crate::vc4::abi::UniformSlot;
use crate::vc4::minst::{Dst, MInst, Oper, Reg, Src, Term, imm};
use kir::{Kernel, Op};
use quadra_isa::vc4::{AddOp, BranchCond};
use quadra_kir as kir;

/// Semaphores of the chip.
const SEMAPHORES: u32 = 16;

/// Three semaphores that a kernel does not use itself: arrivals, and two releases.
pub fn free_semaphores(kernel: &Kernel) -> Option<[u8; 3]> {
    let mut used = [false; SEMAPHORES as usize];
    kernel.body.walk(&mut |i| {
        if matches!(i.op, Op::SemaInc | Op::SemaDec) {
            used[(i.imm % SEMAPHORES) as usize] = true;
        }
    });
    let mut free = (0..SEMAPHORES as u8).rev().filter(|&n| !used[n as usize]);
    Some([free.next()?, free.next()?, free.next()?])
}

impl Cx<'_> {
    /// Waits for the other QPUs of the launch, then starts the program over if another run follows. Stores have arrived.
    pub(super) fn start_over(&mut self) {
        let Some([arrive, first, second]) = free_semaphores(self.kernel) else {
            return self.error("a kernel that runs several times in one launch leaves three semaphores free");
        };
        let (me, all) = (self.uniform(UniformSlot::Worker), self.uniform(UniformSlot::NumWorkers));
        let again = self.uniform(UniformSlot::Again);
        let (leader, member, over) = (self.new_block(), self.new_block(), self.new_block());
        self.emit(MInst::mov(Dst::None, me).flags());
        self.finish_block(Term::Branch { cond: BranchCond::AnyZs, taken: leader, other: member });
        self.start(leader);
        let others = self.add_new(AddOp::Sub, Src::from(all), imm(1));
        for release in [first, second] {
            self.for_each_other(others, true, arrive);
            self.for_each_other(others, false, release);
        }
        self.finish_block(Term::Jump(over));
        self.start(member);
        for release in [first, second] {
            self.semaphore(false, arrive);
            self.semaphore(true, release);
        }
        self.finish_block(Term::Jump(over));
        self.start(over);
        let end = self.new_block();
        self.emit(MInst::mov(Dst::None, again).flags());
        self.finish_block(Term::Branch { cond: BranchCond::AnyZc, taken: 0, other: end });
        self.start(end);
    }

    fn semaphore(&mut self, decrement: bool, number: u8) {
        self.emit(MInst::new(Oper::Sema(decrement, number), Dst::None, &[]));
    }

    /// A semaphore as often as there are other QPUs.
    fn for_each_other(&mut self, others: Reg, decrement: bool, number: u8) {
        let (head, done) = (self.new_block(), self.new_block());
        let count = self.fresh();
        self.emit(MInst::mov(count, others).flags());
        self.finish_block(Term::Branch { cond: BranchCond::AnyZs, taken: done, other: head });
        self.start(head);
        self.semaphore(decrement, number);
        self.emit(MInst::add(AddOp::Sub, count, count, imm(1)).flags());
        self.finish_block(Term::Branch { cond: BranchCond::AnyZc, taken: head, other: done });
        self.start(done);
    }
}
