//! Both operands through the TMUs: scalars of A spread by rotation into r5.
//!
//! A QPU holds a block of 16 rows and 48 columns of C as 48 accumulators: row i, columns 16 v to 16 v + 15. For each k a
//! lookup gathers column k of A, 16 rows at once, and three fetch 48 elements of row k of B, each a line of memory if B's
//! rows begin at lines. Row i takes four instructions: a rotation brings lane i of A's column to lane 0 and r5 spreads it,
//! then three products follow, while the add ALU accumulates the product before. So one k takes 64 instructions and a branch
//! for 48 multiplications and additions. The mul ALU is never idle; of the add ALU's 64 slots 48 accumulate, 7 ask for
//! column and row k + 2 and count, and 7 move what was asked for one k before to where it is used:
//!
//! | row | in the add ALU's free slot |
//! |---|---|
//! | 0, 1 | the first two vectors of B from their waiting places to r2 and r3; the third stays in r4 |
//! | 2 | a copy of r4, which rows 12 to 15 use |
//! | 3 to 9 | four lookups for k + 2, the next addresses, the count |
//! | 12 to 14 | A's next column and two vectors of B from r4 to their waiting places |
//! | 15 | A's next column to r0, where it can be rotated |
//!
//! Eight lookups are under way at most, four in each TMU: those for k + 1 and k + 2. The last two iterations of a block would ask
//! for rows behind the matrix; they run with the addresses held at the last row, and what they asked for is thrown away.
//!
//! Behind the loop, C comes through the TMUs as well (a line is read before its block is stored and never again), and goes
//! out through five VPM rows of the QPU's own, four rows per transfer. No mutex is needed.

use super::article::end;
use super::layout::Layout;
use super::{Plan, step};
use crate::vc4::builder::{Asm, Slot, registers::*};
use crate::vc4::setup::{Cell, Vector};
use crate::vc4::{BranchCond, Program, setup};
use quadra_base::Diagnostic;

/// VPM rows of a QPU, of which a transfer takes [`STORED_ROWS`].
const VPM_ROWS: u32 = 5;
/// Rows of C in one transfer.
const STORED_ROWS: u32 = 4;

// Where things wait that the loop needs. In the part that adds to C, ra24 to ra27 hold addresses of four rows of C instead.
const NEXT_A: R = ra(24);
const NEXT_B0: R = rb(24);
const NEXT_B1: R = ra(25);
const LAST_B2: R = rb(25);
const A_ADDRESS: R = ra(26);
const B_ADDRESS: R = ra(27);
const TURNS: R = ra(28);
/// Whether the last two iterations are still to come; later the address of C.
const MORE: R = ra(29);
const VPM_WORD: R = rb(30);
const DMA_WORD: R = rb(31);
const OFFSET_1: R = rb(26);
const OFFSET_2: R = rb(27);
const B_STEP: R = rb(28);
const A_STEP: R = rb(29);
/// One row and four rows of C.
const C_STEP: R = rb(24);
const C_GROUP: R = rb(25);

/// The accumulator of row `i`, vector `v`.
fn accumulator(i: u8, v: u8) -> R {
    match (v, i) {
        (0, _) => rb(i),
        (1, 0..8) => rb(16 + i),
        (1, _) => ra(8 + i),
        _ => ra(i),
    }
}

/// The program; it serves every shape and split.
///
/// # Errors
/// None unless an instruction does not fit, which would be a mistake here.
pub(super) fn program(plan: &Plan) -> Result<Program, Vec<Diagnostic>> {
    let mut asm = Asm::new("sgemm broadcast");
    let (block, finish) = (asm.label(), asm.label());
    asm.mov(null, unif).setf();
    asm.branch(BranchCond::AllZs, finish);
    asm.mov(tmurs, 1);
    asm.ldi(OFFSET_1, 64);
    asm.ldi(OFFSET_2, 128);
    asm.mov(VPM_WORD, unif);
    asm.mov(DMA_WORD, unif);
    asm.mov(vw_setup, unif);
    for n in 0..24 {
        asm.mov(ra(n), 0).mov(rb(n), 0);
    }
    asm.bind(block);
    asm.name("block");
    if step::in_step(plan) {
        step::barrier(&mut asm, plan.split.threads());
    }
    start_of_block(&mut asm);
    product(&mut asm);
    add_to_c(&mut asm);
    asm.mov(null, unif).setf();
    asm.branch(BranchCond::AllZc, block);
    for _ in 0..3 {
        asm.nop();
    }
    asm.wait_dma_store();
    asm.bind(finish);
    asm.name("finish");
    end(&mut asm);
    asm.finish()
}

/// Asks for a vector: of A, or the first, second or third of B.
fn ask(asm: &mut Asm, vector: u8) -> Slot<'_> {
    match vector {
        0 => asm.mov(t0s, A_ADDRESS),
        1 => asm.mov(t0s, B_ADDRESS),
        2 => asm.add(t1s, B_ADDRESS, OFFSET_1),
        _ => asm.add(t1s, B_ADDRESS, OFFSET_2),
    }
}

/// Addresses and counters of a block from its uniforms: row stride of A, first element of A, of B, step of B, iterations before
/// the last two. Asks for k = 0 and 1, receives k = 0.
fn start_of_block(asm: &mut Asm) {
    asm.mul24(r0, elem_num, unif);
    asm.add(A_ADDRESS, r0, unif);
    asm.shl(r0, elem_num, 2);
    asm.add(B_ADDRESS, r0, unif);
    asm.mov(B_STEP, unif);
    asm.mov(A_STEP, 4);
    asm.mov(TURNS, unif);
    for _ in 0..2 {
        for vector in 0..4 {
            ask(asm, vector);
        }
        asm.add(B_ADDRESS, B_ADDRESS, B_STEP);
        asm.add(A_ADDRESS, A_ADDRESS, A_STEP);
        asm.mov(MORE, 1);
    }
    asm.mov(r1, 0);
    asm.ldtmu0();
    asm.mov(NEXT_A, r4).ldtmu0();
    asm.mov(NEXT_B0, r4).ldtmu1();
    asm.mov(NEXT_B1, r4).ldtmu1();
    asm.mov(r0, NEXT_A);
}

/// What the add ALU does in the free slot of row `i`, 2 to 15.
fn beside(asm: &mut Asm, i: u8) -> Slot<'_> {
    match i {
        2 => asm.mov(LAST_B2, r4),
        3..=6 => ask(asm, i - 3),
        7 => asm.add(B_ADDRESS, B_ADDRESS, B_STEP),
        8 => asm.add(A_ADDRESS, A_ADDRESS, A_STEP),
        9 => asm.sub(TURNS, TURNS, 1).setf(),
        12 => asm.mov(NEXT_A, r4).ldtmu0(),
        13 => asm.mov(NEXT_B0, r4).ldtmu1(),
        14 => asm.mov(NEXT_B1, r4).ldtmu1(),
        15 => asm.mov(r0, NEXT_A),
        _ => asm.nop(),
    }
}

/// The sum over k.
fn product(asm: &mut Asm) {
    let (top, done) = (asm.here(), asm.label());
    asm.name("k");
    for i in 0..16 {
        row(asm, i, top);
    }
    // The rest of the iterations: none, or the last two.
    asm.mov(null, MORE).setf();
    asm.branch(BranchCond::AllZs, done);
    asm.sub(B_ADDRESS, B_ADDRESS, B_STEP);
    asm.sub(A_ADDRESS, A_ADDRESS, A_STEP);
    asm.mov(TURNS, 2);
    asm.jump(top);
    asm.mov(MORE, 0).mov(B_STEP, 0);
    asm.mov(A_STEP, 0);
    asm.nop();
    asm.bind(done);
    asm.name("sums");
    asm.fadd(accumulator(15, 2), accumulator(15, 2), r1).ldtmu0();
    asm.ldtmu0();
    asm.ldtmu1();
    asm.ldtmu1();
}

/// One row of one k: four instructions, in the last row also the branch to the next k.
fn row(asm: &mut Asm, i: u8, top: super::super::builder::Label) {
    let behind = accumulator((i + 15) % 16, 2);
    // Lane i to r5; in the first row, A's column has just arrived and needs no rotation.
    match i {
        0 => asm.mov(r2, NEXT_B0).mov(r5rep, NEXT_A),
        1 => asm.mov(r3, NEXT_B1).mov(r5rep, r0.rot(15)),
        _ => asm.fadd(behind, behind, r1).mov(r5rep, r0.rot(16 - i)),
    };
    if i == 15 {
        asm.branch(BranchCond::AllZc, top);
    }
    let slot = if i < 2 { asm.fadd(behind, behind, r1) } else { beside(asm, i) };
    slot.fmul(r1, r5, r2);
    let (first, second) = (accumulator(i, 0), accumulator(i, 1));
    asm.fadd(first, first, r1).fmul(r1, r5, if i == 0 { NEXT_B1 } else { r3 });
    let slot = asm.fadd(second, second, r1).fmul(r1, r5, if i < 12 { r4 } else { LAST_B2 });
    if i == 11 {
        slot.ldtmu0();
    }
}

/// Vectors of C under way.
const AHEAD: u8 = 6;

/// Row within its group, vector and accumulator of the `n`th vector of C: groups of four rows, in a group by vector.
fn nth(n: u8) -> (u8, u8, R) {
    let (group, v, i) = (n / 12, n % 12 / 4, n % 4);
    (i, v, accumulator(4 * group + i, v))
}

/// Asks for the `n`th vector of C, even ones of TMU0, odd ones of TMU1.
fn ask_for_c(asm: &mut Asm, n: u8) -> Slot<'_> {
    let (i, v, _) = nth(n);
    let (to, from) = (if n.is_multiple_of(2) { t0s } else { t1s }, ra(24 + i));
    match v {
        0 => asm.mov(to, from),
        1 => asm.add(to, from, OFFSET_1),
        _ => asm.add(to, from, OFFSET_2),
    }
}

/// Moves the address of a row to the next group, once the group's last vector of that row has been asked for.
fn step_c(asm: &mut Asm, n: u8) {
    let (i, v, _) = nth(n);
    if v == 2 {
        asm.add(ra(24 + i), ra(24 + i), C_GROUP);
    }
}

/// C = alpha times the accumulators plus beta C, and clears the accumulators. Uniforms: alpha, beta, one and four rows
/// of C in bytes, the block's address.
fn add_to_c(asm: &mut Asm) {
    asm.mov(r3, unif);
    asm.mov(r5rep, unif);
    asm.mov(C_STEP, unif);
    asm.mov(C_GROUP, unif);
    asm.shl(r0, elem_num, 2);
    asm.add(r0, r0, unif);
    asm.mov(MORE, r0);
    asm.mov(ra(24), r0);
    for i in 1..4 {
        asm.add(r0, r0, C_STEP);
        asm.mov(ra(24 + i), r0);
    }
    for n in 0..AHEAD {
        ask_for_c(asm, n);
    }
    asm.fmul(r2, accumulator(0, 0), r3);
    for n in 0..48 {
        let (i, v, sum) = nth(n);
        if i == 0 {
            asm.wait_dma_store();
            asm.mov(vw_setup, VPM_WORD);
        }
        let slot = asm.xor(sum, r0, r0);
        if n.is_multiple_of(2) {
            slot.ldtmu0()
        } else {
            slot.ldtmu1()
        };
        if n + AHEAD < 48 {
            ask_for_c(asm, n + AHEAD).fmul(r0, r4, r5);
            step_c(asm, n + AHEAD);
        } else {
            asm.fmul(r0, r4, r5);
        }
        let slot = asm.fadd(vpm, r2, r0);
        if n < 47 {
            slot.fmul(r2, nth(n + 1).2, r3);
        }
        if i == 3 {
            asm.mov(vw_setup, DMA_WORD);
            asm.mov(vw_addr, MORE);
            asm.add(MORE, MORE, if v < 2 { OFFSET_1 } else { C_GROUP });
            if v == 2 {
                asm.nop();
                asm.sub(MORE, MORE, OFFSET_2);
            }
        }
    }
}

/// The uniforms of a thread.
pub(super) fn uniforms(layout: &Layout, thread: u32, (alpha, beta): (f32, f32)) -> Vec<u32> {
    let plan = &layout.plan;
    let row = 4 * plan.r;
    let blocks = plan.blocks(thread);
    let mut words = vec![u32::from(!blocks.is_empty())];
    if !blocks.is_empty() {
        let y = VPM_ROWS * thread;
        words.extend([
            setup::vpm_write(1, Vector::H32 { y }).expect("twelve times five rows"),
            setup::dma_store(STORED_ROWS, 16, Cell::H32 { y, x: 0 }).expect("twelve times five rows"),
            setup::dma_store_stride(row - 64, false).expect("the plan limits the row length"),
        ]);
    }
    for (n, (i, j)) in blocks.iter().enumerate() {
        words.extend(step::words(plan, thread, n));
        words.extend([4 * plan.q, layout.a_at(*i, 0), layout.b_at(0, *j), row, plan.q - 2]);
        words.extend([alpha.to_bits(), beta.to_bits(), row, STORED_ROWS * row, layout.c_at(*i, *j)]);
        words.push(u32::from(n + 1 < blocks.len()));
    }
    words.push(if thread == 0 { plan.split.threads() } else { 0 });
    words
}
