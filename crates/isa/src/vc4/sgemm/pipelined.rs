//! The article's inner loop with the four tiles of C pipelined against it.
//!
//! The loop over k is that of `super::article`. It runs in two parts: [`LAST_ITERATIONS`] iterations before the end it is
//! left, the mutex is taken, the DMA loads of all four tiles are started, and it is entered again; so the tiles have arrived
//! in the VPM when the sums are complete. Each tile is scaled and added in turn, and its store started without waiting for
//! the one before, because stores queue at the engine. The next block begins at once; only when its first products are on
//! their way are the stores waited for and the mutex released. No transfer of C is waited for in vain, unless another QPU
//! has the mutex.
//!
//! Lane 1 of r2 counts the iterations of a part, as in the article. Lane 2 counts by twos from a negative odd number, never
//! meeting 0, and becomes positive in the second part: its sign says which part has ended. Lanes 4 to 7 hold the addresses
//! of the four tiles.

use super::article::{self, lane_from_uniform};
use super::layout::Layout;
use super::{Plan, step};
use crate::vc4::builder::{Asm, registers::*};
use crate::vc4::setup::Vector;
use crate::vc4::{BranchCond, Cond, Program};
use quadra_base::Diagnostic;

/// Turns of the loop during which the tiles of C are loaded.
pub const LAST_ITERATIONS: u32 = 2;

/// Turns of the second part, for `q` columns of A.
fn last_iterations(q: u32) -> u32 {
    LAST_ITERATIONS.min(q - 2)
}

/// The program; it serves every shape and split.
///
/// # Errors
/// None unless an instruction does not fit, which would be a mistake here.
pub(super) fn program(plan: &Plan) -> Result<Program, Vec<Diagnostic>> {
    let mut asm = Asm::new("sgemm pipelined");
    let (block, finish) = (asm.label(), asm.label());
    asm.mov(null, unif).setf();
    asm.branch(BranchCond::AllZs, finish);
    article::clear(&mut asm);
    asm.mov(vr_setup, unif);
    asm.mov(vw_setup, unif);
    let in_step = step::in_step(plan);
    if !in_step {
        asm.mutex_acquire();
    }
    asm.bind(block);
    asm.name("block");
    if in_step {
        step::barrier(&mut asm, plan.split.threads());
    }
    start_of_block(&mut asm);
    product(&mut asm, last_iterations(plan.q), in_step);
    add_to_c(&mut asm);
    if in_step {
        asm.wait_dma_store();
        asm.mutex_release();
    }
    asm.mov(null, unif).setf();
    asm.branch(BranchCond::AllZc, block);
    for _ in 0..3 {
        asm.nop();
    }
    if !in_step {
        asm.wait_dma_store();
        asm.mutex_release();
    }
    asm.bind(finish);
    asm.name("finish");
    article::end(&mut asm);
    asm.finish()
}

/// From the uniforms of a block: row stride and address of A; then the lanes of r2 and r3, the address of the second part,
/// and the first row of B.
fn start_of_block(asm: &mut Asm) {
    asm.mul24(r0, elem_num, unif);
    asm.add(r1, r0, unif);
    asm.mov(r2, 1).mov(t0s, r1);
    asm.mov(r3, 0);
    lane_from_uniform(asm, r2, 0);
    asm.mov(r3, unif).when(Cond::Zs);
    lane_from_uniform(asm, r2, 1);
    asm.mov(r3, -1).when(Cond::Zs);
    lane_from_uniform(asm, r2, 2);
    asm.mov(r3, 2).when(Cond::Zs);
    for tile in 0..4 {
        lane_from_uniform(asm, r2, 4 + tile);
    }
    asm.mov(r5rep, unif);
    asm.mov(r0, unif);
    asm.add(r1, r1, 4).mov(unif_addr, r0);
}

/// The sum over k, in whose last iterations the tiles of C are loaded. Releases the mutex, and takes it again.
fn product(asm: &mut Asm, last_iterations: u32, in_step: bool) {
    article::first_products(asm, false);
    if !in_step {
        asm.wait_dma_store();
        asm.mutex_release();
    }
    let (top, last) = (asm.here(), asm.label());
    article::iterations(asm, false, top);
    asm.branch(BranchCond::AllNc, last);
    asm.nop();
    asm.nop();
    asm.nop();
    asm.name("load C");
    asm.mutex_acquire();
    asm.sub(null, elem_num, 1).setf();
    asm.ldi(r2, last_iterations).when(Cond::Zs);
    for tile in 0..4u8 {
        if tile == 3 {
            asm.jump(top);
        }
        article::load_setup(asm, u32::from(tile));
        asm.mov(vr_addr, r2.rot(12 - tile));
    }
    asm.nop();
    asm.bind(last);
    article::last_products(asm, false);
}

/// C = alpha times the accumulators plus beta C for the four tiles, which have been loaded. The uniform stream gives alpha,
/// beta, and the address of the block in C.
fn add_to_c(asm: &mut Asm) {
    asm.mov(unif_addr, r5);
    asm.wait_dma_load();
    asm.nop();
    asm.mov(r1, unif);
    asm.mov(r5rep, unif);
    asm.mov(r3, unif);
    for tile in 0..4 {
        asm.setup_vpm_read(16, 1, Vector::V32 { y: 16 * tile, x: 0 });
        asm.setup_vpm_write(1, Vector::V32 { y: 16 * tile, x: 0 });
        article::scale_and_add(asm, tile);
        article::store_setup(asm, tile);
        asm.ldi(r0, 64 * tile);
        asm.add(vw_addr, r3, r0);
    }
}

/// The uniforms of a thread whose stream begins at `base`.
pub(super) fn uniforms(layout: &Layout, thread: u32, base: u32, factors: (f32, f32)) -> Vec<u32> {
    let plan = &layout.plan;
    let row = 4 * plan.r;
    let blocks = plan.blocks(thread);
    let mut words = vec![u32::from(!blocks.is_empty())];
    for (n, (i, j)) in blocks.iter().enumerate() {
        let [pitch, stride, alpha, beta, c] = article::c_words(layout, factors, (*i, *j));
        if n == 0 {
            words.extend([pitch, stride]);
        }
        words.extend(step::words(plan, thread, n));
        let first_iterations = plan.q - 1 - last_iterations(plan.q);
        let b = layout.b_at(0, *j);
        words.extend([4 * plan.q, layout.a_at(*i, 0), b + row, row, first_iterations]);
        words.push((2 * first_iterations + 1).wrapping_neg());
        words.extend([c, c + 64, c + 128, c + 192]);
        words.extend([base + 4 * (words.len() as u32 + 2), b]);
        words.extend([alpha, beta, c, u32::from(n + 1 < blocks.len())]);
    }
    words.push(if thread == 0 { plan.split.threads() } else { 0 });
    words
}
