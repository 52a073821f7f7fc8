//! The article's program: rows of B through the uniform stream.
//!
//! A QPU holds a block of C, lane i of accumulator n for row i and column n: even columns in file A, odd ones in file B.
//! For each k the TMU delivers column k of A, 16 rows at once, and the uniform stream the 64 elements of row k of B; each
//! is multiplied into r0 while the product before is added to its accumulator. One iteration of the loop is 67 instructions for
//! 64 multiplications and additions. What the loop needs beside the accumulators lies in lanes of r2: lane 0 the address of
//! the next row of B, lane 1 the iterations left. r3 holds what each iteration adds to them, r1 the addresses of A.
//!
//! The loops over blocks are not in the program: its uniform stream holds a record for each block, with the addresses that
//! two outer loops would compute, and whether another follows. Registers for them would have to come from the accumulators.
//!
//! The part of a block's uniforms that is needed behind the loop lies apart from the rows of B; r5 keeps its address.
//! Then the mutex is taken, and the four tiles of 16 x 16 of the block go through rows 16 t to 16 t + 15 of the VPM: loaded
//! by DMA row by row, read column by column, scaled and added, written back by column, stored by row. The next tile is
//! loaded, and the last one stored, while one is computed. At the end each thread increments semaphore 0, and thread 0,
//! having decremented it once for each thread, raises the interrupt.
//!
//! With prefetching a second lookup per iteration names the four lines of a row of B that the uniform stream reaches
//! [`PREFETCH_ROWS`] iterations later; what it delivers is thrown away, but the lines are in the L2 cache then.

use super::Plan;
use super::layout::Layout;
use crate::vc4::builder::{Asm, Label, registers::*};
use crate::vc4::setup::{Cell, Vector};
use crate::vc4::{BranchCond, Cond, Program, setup};
use quadra_base::Diagnostic;

/// How many rows ahead of the uniform stream the prefetching lookups are.
pub const PREFETCH_ROWS: u32 = 3;

/// Semaphore that counts finished threads.
pub(super) const FINISHED: u8 = 0;

/// The accumulator of a column.
pub(super) fn column(n: u8) -> R {
    if n.is_multiple_of(2) { ra(n / 2) } else { rb(n / 2) }
}

/// Sets one lane of an accumulator register to the next uniform.
pub(super) fn lane_from_uniform(asm: &mut Asm, register: R, lane: u8) {
    asm.sub(null, elem_num, i32::from(lane)).setf();
    asm.mov(register, unif).when(Cond::Zs);
}

/// The program; it serves every shape and split.
///
/// # Errors
/// None unless an instruction does not fit, which would be a mistake here.
pub(super) fn program(plan: &Plan) -> Result<Program, Vec<Diagnostic>> {
    let mut asm = Asm::new(if plan.prefetch { "sgemm article, prefetching" } else { "sgemm article" });
    let (block, finish) = (asm.label(), asm.label());
    asm.mov(null, unif).setf();
    asm.branch(BranchCond::AllZs, finish);
    clear(&mut asm);
    asm.bind(block);
    asm.name("block");
    start_of_block(&mut asm, plan.prefetch);
    product(&mut asm, plan.prefetch);
    asm.mov(unif_addr, r5);
    asm.mutex_acquire();
    add_to_c(&mut asm);
    asm.mutex_release();
    asm.mov(null, unif).setf();
    asm.branch(BranchCond::AllZc, block);
    for _ in 0..3 {
        asm.nop();
    }
    asm.bind(finish);
    asm.name("finish");
    end(&mut asm);
    asm.finish()
}

/// Clears all accumulators; the first three clearings may lie in the delay slots of a branch.
pub(super) fn clear(asm: &mut Asm) {
    for n in 0..32 {
        asm.mov(ra(n), 0).mov(rb(n), 0);
    }
}

/// From the uniforms of a block: row stride of A, address of the block's first row of A; then addresses and steps for r2 and
/// r3, the address of the second part, and the first row of B.
pub(super) fn start_of_block(asm: &mut Asm, prefetch: bool) {
    asm.comment("r1: addresses of column 0 of A, lane by lane");
    asm.mul24(r0, elem_num, unif);
    asm.add(r1, r0, unif);
    asm.mov(r2, 1).mov(t0s, r1);
    asm.mov(r3, 0);
    asm.comment("lane 0: next row of B and its step; lane 1: iterations left");
    lane_from_uniform(asm, r2, 0);
    asm.mov(r3, unif).when(Cond::Zs);
    lane_from_uniform(asm, r2, 1);
    asm.mov(r3, -1).when(Cond::Zs);
    if prefetch {
        asm.comment("lanes 4 to 7: lines of a later row of B");
        for lane in 4..8 {
            lane_from_uniform(asm, r2, lane);
            asm.mov(r3, unif).when(Cond::Zs);
        }
    }
    asm.mov(r5rep, unif);
    asm.mov(r0, unif);
    asm.add(r1, r1, 4).mov(unif_addr, r0);
}

/// The sum over k. Needs a lookup of column 0 under way, r1 at column 1, and the uniform stream at row 0 of B; leaves the
/// sums in the accumulators and nothing in the TMU's queue.
fn product(asm: &mut Asm, prefetch: bool) {
    first_products(asm, prefetch);
    let top = asm.here();
    iterations(asm, prefetch, top);
    last_products(asm, prefetch);
}

/// Receives column 0 of A, asks for column 1, and multiplies the first elements.
pub(super) fn first_products(asm: &mut Asm, prefetch: bool) {
    asm.ldtmu0();
    if prefetch {
        asm.max(t0s, r2, r5);
    }
    asm.mov(t0s, r1);
    asm.add(r1, r1, 4).fmul(r0, r4, unif);
    for n in 0..2 {
        asm.fadd(column(n), column(n), r0).fmul(r0, r4, unif);
    }
}

/// The loop over k, whose first instruction is `top`: the rest of a row of B and the first elements of the next one.
pub(super) fn iterations(asm: &mut Asm, prefetch: bool, top: Label) {
    asm.name("k");
    for n in 2..62 {
        asm.fadd(column(n), column(n), r0).fmul(r0, r4, unif);
    }
    let slot = asm.fadd(column(62), column(62), r0).fmul(r0, r4, unif);
    if prefetch {
        slot.ldtmu0();
    }
    asm.fadd(column(63), column(63), r0).mov(unif_addr, r2).ldtmu0();
    if prefetch {
        // Lane 1 counts and is no address: it, too, asks for what lies at the address in r5.
        asm.max(t0s, r2, r5);
    }
    asm.add(r2, r2, r3).setf().mov(t0s, r1);
    asm.branch(BranchCond::AllZc, top);
    asm.add(r1, r1, 4).fmul(r0, r4, unif);
    for n in 0..2 {
        asm.fadd(column(n), column(n), r0).fmul(r0, r4, unif);
    }
}

/// What of the last row of B sticks out behind the loop.
pub(super) fn last_products(asm: &mut Asm, prefetch: bool) {
    asm.name("last k");
    for n in 2..63 {
        asm.fadd(column(n), column(n), r0).fmul(r0, r4, unif);
    }
    if prefetch {
        asm.nop().ldtmu0();
    }
    asm.fadd(column(63), column(63), r0).ldtmu0();
}

/// C = alpha times the accumulators plus beta C for the four tiles of a block, and clears the accumulators. The uniform
/// stream gives pitch and stride of C as setup words, alpha, beta, and the address of the block in C.
fn add_to_c(asm: &mut Asm) {
    load_setup(asm, 0);
    asm.mov(vr_setup, unif);
    asm.mov(vw_setup, unif);
    asm.mov(r1, unif);
    asm.mov(r5rep, unif);
    asm.mov(r3, unif);
    asm.mov(vr_addr, r3);
    for tile in 0..4 {
        asm.wait_dma_load();
        asm.setup_vpm_read(16, 1, Vector::V32 { y: 16 * tile, x: 0 });
        asm.setup_vpm_write(1, Vector::V32 { y: 16 * tile, x: 0 });
        if tile < 3 {
            load_setup(asm, tile + 1);
            asm.ldi(r0, 64 * (tile + 1));
            asm.add(vr_addr, r3, r0);
        }
        scale_and_add(asm, tile);
        if tile > 0 {
            asm.wait_dma_store();
        }
        store_setup(asm, tile);
        asm.ldi(r0, 64 * tile);
        asm.add(vw_addr, r3, r0);
    }
    asm.wait_dma_store();
}

/// The load word of a tile; the pitch has a word of its own.
pub(super) fn load_setup(asm: &mut Asm, tile: u32) {
    let word = setup::dma_load(0, 16, 16, 1, Cell::H32 { y: 16 * tile, x: 0 });
    asm.ldi(vr_setup, word.expect("a tile lies in the VPM"));
}

/// The store word of a tile; the stride has a word of its own.
pub(super) fn store_setup(asm: &mut Asm, tile: u32) {
    let word = setup::dma_store(16, 16, Cell::H32 { y: 16 * tile, x: 0 });
    asm.ldi(vw_setup, word.expect("a tile lies in the VPM"));
}

/// VPM = alpha (r1) times accumulators plus beta (r5) VPM for the 16 columns of a tile: two instructions per column.
pub(super) fn scale_and_add(asm: &mut Asm, tile: u32) {
    let first = 16 * tile as u8;
    asm.fmul(r2, column(first), r1);
    asm.nop();
    for n in first..first + 16 {
        asm.mov(column(n), 0).fmul(r0, vpm, r5);
        let slot = asm.fadd(vpm, r2, r0);
        if n < first + 15 {
            slot.fmul(r2, column(n + 1), r1);
        }
    }
}

/// The end of every thread. The uniform stream gives the number of threads to wait for: 0 for all but the first.
pub(super) fn end(asm: &mut Asm) {
    let (done, wait) = (asm.label(), asm.label());
    asm.sema_up(FINISHED);
    asm.mov(r0, unif).setf();
    asm.branch(BranchCond::AllZs, done);
    for _ in 0..3 {
        asm.nop();
    }
    asm.bind(wait);
    asm.sub(r0, r0, 1).setf();
    asm.branch(BranchCond::AllZc, wait);
    asm.sema_down(FINISHED);
    asm.nop();
    asm.nop();
    asm.interrupt();
    asm.bind(done);
    asm.exit();
}

/// The uniforms of a thread whose stream begins at `base`.
pub(super) fn uniforms(layout: &Layout, thread: u32, base: u32, (alpha, beta): (f32, f32)) -> Vec<u32> {
    let plan = &layout.plan;
    let row = 4 * plan.r;
    let blocks = plan.blocks(thread);
    let mut words = vec![u32::from(!blocks.is_empty())];
    for (n, (i, j)) in blocks.iter().enumerate() {
        let b = layout.b_at(0, *j);
        words.extend([4 * plan.q, layout.a_at(*i, 0), b + row, row, plan.q - 1]);
        if plan.prefetch {
            // Rows of B begin at multiples of 64 bytes, so that a block's part of a row is four lines.
            words.extend((0..4).flat_map(|line| [b + PREFETCH_ROWS * row + 64 * line, row]));
        }
        words.extend([base + 4 * (words.len() as u32 + 2), b]);
        words.extend(c_words(layout, (alpha, beta), (*i, *j)));
        words.push(u32::from(n + 1 < blocks.len()));
    }
    words.push(if thread == 0 { plan.split.threads() } else { 0 });
    words
}

/// What [`add_to_c`] reads.
pub(super) fn c_words(layout: &Layout, (alpha, beta): (f32, f32), (i, j): (u32, u32)) -> [u32; 5] {
    let row = 4 * layout.plan.r;
    // The guide gives the pitch 13 bits; programs that run on hardware use more (the sheet of py-videocore's tests).
    let pitch = 9 << 28 | row;
    let stride = setup::dma_store_stride(row - 64, false).expect("the plan limits the row length");
    [pitch, stride, alpha.to_bits(), beta.to_bits(), layout.c_at(i, j)]
}
