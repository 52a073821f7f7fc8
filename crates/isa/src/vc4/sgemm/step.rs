//! Threads that begin each block together.
//!
//! Threads that read the same rows of B, or the same columns of A, need each line of memory only once for all, if they are
//! near enough to each other that the line is still in the L2 cache. Nothing else keeps them together: who waits for the
//! mutex or the DMA engine at the end of a block falls behind by several rows. So they meet at the beginning of each.

use super::Plan;
use crate::vc4::BranchCond;
use crate::vc4::builder::{Asm, registers::*};

/// Semaphore of threads that have arrived.
const ARRIVED: u8 = 1;
/// The first of two semaphores that let them go on.
const GO: u8 = 2;

/// Whether all threads have the same number of blocks, so that they can begin each together.
pub(super) fn in_step(plan: &Plan) -> bool {
    let blocks = |thread| plan.blocks(thread).len();
    plan.split.threads() > 1 && (1..plan.split.threads()).all(|thread| blocks(thread) == blocks(0))
}

/// What [`barrier`] takes from the uniform stream of a thread before its `n`th block.
pub(super) fn words(plan: &Plan, thread: u32, n: usize) -> Vec<u32> {
    if in_step(plan) { vec![n as u32 % 2, u32::from(thread == 0)] } else { Vec::new() }
}

/// Lets all threads go on together. Each announces itself with one semaphore; the first thread waits for all and lets them
/// go with one of two others in turn, so that nobody can take what was meant for a slower thread in the round before.
pub(super) fn barrier(asm: &mut Asm, threads: u32) {
    let (odd, done) = (asm.label(), asm.label());
    asm.name("barrier");
    asm.sema_up(ARRIVED);
    asm.mov(null, unif).setf();
    asm.branch(BranchCond::AllZc, odd);
    asm.nop();
    asm.nop();
    asm.mov(null, unif).setf();
    half(asm, threads, GO);
    asm.jump(done);
    asm.nop();
    asm.nop();
    asm.nop();
    asm.bind(odd);
    half(asm, threads, GO + 1);
    asm.bind(done);
}

/// With the flags of a value that is 0 in all threads but the first: waits for `go`, which the first thread gives.
fn half(asm: &mut Asm, threads: u32, go: u8) {
    let wait = asm.label();
    asm.branch(BranchCond::AllZs, wait);
    for _ in 0..3 {
        asm.nop();
    }
    for _ in 0..threads {
        asm.sema_down(ARRIVED);
    }
    for _ in 0..threads {
        asm.sema_up(go);
    }
    asm.bind(wait);
    asm.sema_down(go);
}
