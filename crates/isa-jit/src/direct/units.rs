//! The units' code, which all blocks share: lookups of words, rows and columns of the VPM.
//!
//! It changes `rax`, `rcx`, `rdx`, `rsi`, `rdi`, scratch vectors and the masks [`mask::T`] and [`mask::U`], and answers in `eax`: 0 if all was
//! done, 1 if nothing was and Rust code has to.

use super::super::x64::{ALL, Asm, Cc, Label, Rm, clear, gpr::*, keep, op};
use super::alu::{mask, scalar, word};
use super::call::layout::{self, tmu};
use super::emit::Units;
use super::places::{CTX, constant, in_memory, zmm};
use quadra_isa::vc4::emu::translate::{L2_RECENT, core, core::block, registers as slot, shared};

const AT: u8 = zmm::T0;
const LINE: u8 = zmm::T1;
const SEEN: u8 = zmm::T2;
const AGE: u8 = zmm::T3;
const FILLS: u8 = zmm::UNIT[0];
const BEFORE: u8 = zmm::UNIT[1];
const COUNT: u8 = zmm::UNIT[2];

pub fn emit(asm: &mut Asm, units: &Units) {
    let steps = asm.label();
    for (unit, label) in units.look_up.into_iter().enumerate() {
        asm.bind(label);
        look_up(asm, unit, steps);
    }
    asm.align(64);
    asm.bind(steps);
    (0..16u32).for_each(|lane| asm.data(&(4 * lane).to_le_bytes()));
    asm.bind(units.write);
    write(asm);
    asm.bind(units.read);
    read(asm);
    asm.bind(units.go_on);
    go_on(asm);
    asm.bind(units.set_up);
    set_up(asm);
}

fn answer(asm: &mut Asm, code: u32) {
    asm.constant(RAX, code);
    asm.ret();
}

/// All lanes, whatever the mask waits for.
fn all(asm: &mut Asm, mask: u8) {
    asm.vector_imm(op::VPCMPUD, mask, zmm::ZERO, Rm::Reg(zmm::ZERO), ALL, 0);
}

/// The words at `base` and these distances. The processor takes both the mask and what was in the destination for operands: to
/// have them at once lets it look up several vectors at the same time, which matters where memory is far.
fn gather(asm: &mut Asm, to: u8, base: u8, distances: u8) {
    if !asm.has_halves() {
        asm.vector(op::VPXORD, to, to, Rm::Reg(to), ALL);
        all(asm, mask::T);
    }
    asm.gather(to, base, distances, mask::T);
}

fn look_up(asm: &mut Asm, unit: usize, steps: Label) {
    let [slow, plain, apart, found] = std::array::from_fn(|_| asm.label());
    let field = |at: i32| layout::TMU + unit as i32 * tmu::SIZE + at;
    asm.cmp_constant32(R12, core::queue_length(unit), super::call::DEPTH);
    asm.jump_if(Cc::NotBelow, slow);
    asm.vector(op::VPANDD, AT, zmm::VALUE, word(constant::WORDS), ALL);
    asm.vector(op::VPSUBD, AT, AT, Rm::Word(CTX, field(tmu::BASE)), ALL);
    asm.vector_imm(op::VPCMPUD, mask::T, AT, Rm::Word(CTX, field(tmu::LENGTH)), ALL, 5);
    asm.kortest(mask::T, mask::T);
    asm.jump_if(Cc::NotZero, slow);
    look_up_row(asm, field, steps, [apart, found]);
    asm.bind(apart);
    asm.load(RAX, CTX, field(tmu::LINES));
    asm.cmp(RAX, 0);
    asm.jump_if(Cc::Zero, plain);
    look_at_lines(asm, field(tmu::ANY_STALE), [slow, plain]);
    asm.bind(plain);
    asm.load(RAX, CTX, field(tmu::BYTES));
    gather(asm, SEEN, RAX, AT);
    asm.bind(found);
    let length = core::queue_length(unit);
    asm.load32(RCX, R12, core::queue_head(unit));
    asm.add32_memory(RCX, R12, length);
    asm.and32(RCX, core::QUEUE_MASK);
    asm.shl(RCX, 6);
    asm.add_reg(RCX, R12);
    asm.vector(op::STORE, SEEN, 0, Rm::Mem(RCX, core::queue_entries(unit)), ALL);
    asm.add_to_memory32(R12, length, 1);
    asm.add_to_memory(R12, core::TMU_REQUESTS, 1);
    answer(asm, 0);
    asm.bind(slow);
    answer(asm, 1);
}

/// The words of neighbouring lanes are neighbours in most programs, and then in one or two lines, which were mostly looked up a
/// short while ago. All else is for `apart`.
fn look_up_row(asm: &mut Asm, field: impl Fn(i32) -> i32, steps: Label, [apart, found]: [Label; 2]) {
    let row = asm.label();
    asm.vector(op::VPBROADCASTD, LINE, 0, Rm::Reg(AT), ALL);
    asm.vector(op::VPSUBD, LINE, AT, Rm::Reg(LINE), ALL);
    asm.lea_label(RAX, steps);
    asm.vector_imm(op::VPCMPUD, mask::T, LINE, Rm::Mem(RAX, 0), ALL, 4);
    asm.kortest(mask::T, mask::T);
    asm.jump_if(Cc::NotZero, apart);
    asm.first_word(RCX, AT);
    asm.load(RAX, CTX, field(tmu::LINES));
    asm.cmp(RAX, 0);
    asm.jump_if(Cc::Zero, row);
    asm.load(RDX, CTX, layout::FILLS);
    asm.load32(RDX, RDX, 0);
    for last in [0, 60] {
        asm.lea(RSI, RCX, last);
        asm.shr32(RSI, 6);
        asm.shl(RSI, 3);
        asm.add_reg(RSI, RAX);
        asm.mov(RDI, RDX);
        asm.sub32_memory(RDI, RSI, 0);
        asm.cmp(RDI, L2_RECENT as i32);
        asm.jump_if(Cc::NotBelow, apart);
        asm.load32(RDI, RSI, 4);
        asm.and32_memory(RDI, CTX, field(tmu::ANY_STALE));
        asm.jump_if(Cc::NotZero, apart);
    }
    asm.bind(row);
    asm.load(RAX, CTX, field(tmu::BYTES));
    asm.add_reg(RAX, RCX);
    asm.vector(op::LOAD_UNALIGNED, SEEN, 0, Rm::Mem(RAX, 0), ALL);
    asm.jump(found);
}

/// What lookups do to the lines of the L2 cache; see the emulator's `lines`. Each line has two words at `rax`: how many lines
/// had come when it was last looked up, and its stale words.
fn look_at_lines(asm: &mut Asm, any_stale: i32, [slow, plain]: [Label; 2]) {
    let [missing, fresh] = std::array::from_fn(|_| asm.label());
    asm.vector(op::VPSRLVD, LINE, AT, word(constant::C3), ALL);
    asm.vector(op::VPANDD, LINE, LINE, word(constant::PAIRS), ALL);
    asm.load(RCX, CTX, layout::FILLS);
    asm.vector(op::VPBROADCASTD, FILLS, 0, Rm::Scalar(RCX, 0), ALL);
    gather(asm, SEEN, RAX, LINE);
    asm.vector(op::VPSUBD, AGE, FILLS, Rm::Reg(SEEN), ALL);
    asm.cmp_constant32(CTX, any_stale, 0);
    asm.jump_if(Cc::Zero, fresh);
    // A stale word is for Rust code to mark: nothing has happened so far.
    asm.lea(RDX, RAX, 4);
    gather(asm, SEEN, RDX, LINE);
    asm.vector(op::VPSRLVD, COUNT, AT, word(constant::C2), ALL);
    asm.vector(op::VPANDD, COUNT, COUNT, word(constant::C15), ALL);
    asm.vector(op::VPSRLVD, SEEN, SEEN, Rm::Reg(COUNT), ALL);
    asm.vector_imm(op::VPCMPUD, mask::T, AGE, word(constant::L2_LINES), ALL, 1);
    asm.vector(op::VPTESTMD, mask::T, SEEN, word(constant::ONE), keep(mask::T));
    asm.kortest(mask::T, mask::T);
    asm.jump_if(Cc::NotZero, slow);
    asm.bind(fresh);
    if asm.has_halves() {
        // Nothing can be scattered: Rust code notes what there is to note.
        asm.vector_imm(op::VPCMPUD, mask::T, AGE, word(constant::L2_RECENT), ALL, 5);
        asm.kortest(mask::T, mask::T);
        asm.jump_if(Cc::NotZero, slow);
        return asm.jump(plain);
    }
    asm.vector_imm(op::VPCMPUD, mask::T, AGE, word(constant::L2_LINES), ALL, 5);
    asm.kortest(mask::T, mask::T);
    asm.jump_if(Cc::NotZero, missing);
    asm.vector_imm(op::VPCMPUD, mask::T, AGE, word(constant::L2_RECENT), ALL, 5);
    asm.kortest(mask::T, mask::T);
    asm.jump_if(Cc::Zero, plain);
    asm.scatter(FILLS, RAX, LINE, mask::T);
    asm.jump(plain);
    asm.bind(missing);
    fetch(asm, any_stale);
}

/// Some lines, whose lanes are in [`mask::T`], are not in the cache: they come in the order of the lanes.
fn fetch(asm: &mut Asm, any_stale: i32) {
    // The first lane of each line; then the number of those up to each lane.
    asm.vector(op::VPCONFLICTD, BEFORE, 0, Rm::Reg(LINE), ALL);
    asm.vector(op::VPTESTNMD, mask::U, BEFORE, Rm::Reg(BEFORE), keep(mask::T));
    asm.vector(op::VPBROADCASTD, COUNT, 0, scalar(constant::ONE), clear(mask::U));
    for distance in [1, 2, 4, 8] {
        asm.vector_imm(op::VALIGND, BEFORE, COUNT, Rm::Reg(zmm::ZERO), ALL, 16 - distance);
        asm.vector(op::VPADDD, COUNT, COUNT, Rm::Reg(BEFORE), ALL);
    }
    asm.vector(op::VPADDD, COUNT, COUNT, Rm::Reg(FILLS), ALL);
    asm.kmov(mask::T, mask::U);
    asm.scatter(COUNT, RAX, LINE, mask::T);
    asm.vector(op::STORE, COUNT, 0, Rm::Mem(CTX, layout::VALUES), ALL);
    asm.load32(RDX, CTX, layout::VALUES + 60);
    asm.store32(RDX, RCX, 0);
    let [fresh, known] = [asm.label(), asm.label()];
    asm.cmp_constant32(CTX, any_stale, 0);
    asm.jump_if(Cc::Zero, fresh);
    asm.lea(RDX, RAX, 4);
    asm.scatter(zmm::ZERO, RDX, LINE, mask::U);
    asm.bind(fresh);
    // Lines that were there when the lookup began.
    asm.vector_imm(op::VPCMPUD, mask::T, AGE, word(constant::L2_RECENT), ALL, 5);
    asm.vector_imm(op::VPCMPUD, mask::T, AGE, word(constant::L2_LINES), keep(mask::T), 1);
    asm.kortest(mask::T, mask::T);
    asm.jump_if(Cc::Zero, known);
    asm.scatter(FILLS, RAX, LINE, mask::T);
    asm.bind(known);
}

/// Finds the vector of a block: its address goes to `rcx`. For columns, the distances of the words to [`LINE`].
fn find(asm: &mut Asm, block: i32, rows: i32, slow: Label, columns: Label) {
    asm.load(RAX, CTX, layout::SHARED);
    asm.cmp_constant32(RAX, shared::MARKED, 0);
    asm.jump_if(Cc::NotZero, slow);
    asm.load32(RCX, R12, block + block::ADDRESS);
    asm.load(RDX, R12, rows);
    asm.cmp_constant32(R12, block + block::SHAPE, 1);
    let no_row = asm.label();
    asm.jump_if(Cc::NotBelow, no_row);
    asm.and32(RCX, 63);
    asm.bit_test(RDX, RCX);
    asm.jump_if(Cc::Below, slow);
    asm.shl(RCX, 6);
    asm.add_reg(RCX, RAX);
    let row = asm.label();
    asm.jump(row);
    asm.bind(no_row);
    asm.jump_if(Cc::Above, slow);
    // The block of 16 rows times 16.
    asm.and32(RCX, 0x30);
    asm.shr_by_rcx(RDX);
    asm.test_constant32(RDX, 0xffff);
    asm.jump_if(Cc::NotZero, slow);
    asm.shl(RCX, 6);
    asm.add_reg(RCX, RAX);
    asm.load32(RDX, R12, block + block::ADDRESS);
    asm.and32(RDX, 15);
    asm.shl(RDX, 2);
    asm.add_reg(RCX, RDX);
    asm.vector(op::LOAD, LINE, 0, in_memory(slot::ELEMENT), ALL);
    asm.vector(op::VPSLLVD, LINE, LINE, word(constant::C6), ALL);
    asm.add(RCX, shared::VPM);
    asm.jump(columns);
    asm.bind(row);
    asm.add(RCX, shared::VPM);
}

fn advance(asm: &mut Asm, block: i32) {
    asm.load32(RCX, R12, block + block::ADDRESS);
    asm.add32_memory(RCX, R12, block + block::STRIDE);
    asm.and32(RCX, 255);
    asm.store32(RCX, R12, block + block::ADDRESS);
    asm.load32(RCX, R12, block + block::LEFT);
    asm.count_down32(RCX);
    asm.store32(RCX, R12, block + block::LEFT);
}

fn write(asm: &mut Asm) {
    let [slow, columns, done] = std::array::from_fn(|_| asm.label());
    find(asm, core::VPM_WRITE, core::STORE_ROWS, slow, columns);
    asm.vector(op::STORE_UNALIGNED, zmm::VALUE, 0, Rm::Mem(RCX, 0), ALL);
    asm.jump(done);
    asm.bind(columns);
    if asm.has_halves() {
        asm.vector(op::STORE, zmm::VALUE, 0, Rm::Mem(CTX, layout::VALUES), ALL);
        for lane in 0..16 {
            asm.load32(RAX, CTX, layout::VALUES + 4 * lane);
            asm.store32(RAX, RCX, 64 * lane);
        }
    } else {
        all(asm, mask::T);
        asm.scatter(zmm::VALUE, RCX, LINE, mask::T);
    }
    asm.bind(done);
    advance(asm, core::VPM_WRITE);
    asm.add_to_memory(R12, core::VPM_WRITE_COUNT, 1);
    answer(asm, 0);
    asm.bind(slow);
    answer(asm, 1);
}

fn read(asm: &mut Asm) {
    let [slow, columns] = std::array::from_fn(|_| asm.label());
    find(asm, core::VPM_READ, core::LOAD_ROWS, slow, columns);
    asm.vector(op::LOAD_UNALIGNED, zmm::VPM, 0, Rm::Mem(RCX, 0), ALL);
    answer(asm, 0);
    asm.bind(columns);
    gather(asm, zmm::VPM, RCX, LINE);
    answer(asm, 0);
    asm.bind(slow);
    answer(asm, 1);
}

/// Goes on to the next vector, and behind the last to the next block.
fn go_on(asm: &mut Asm) {
    let more = asm.label();
    asm.add_to_memory(R12, core::VPM_READ_COUNT, 1);
    advance(asm, core::VPM_READ);
    asm.test32(RCX, RCX);
    asm.jump_if(Cc::NotZero, more);
    asm.vector(op::LOAD_UNALIGNED, AT, 0, Rm::Mem(R12, core::VPM_READ + 32), ALL);
    asm.vector(op::STORE_UNALIGNED, AT, 0, Rm::Mem(R12, core::VPM_READ), ALL);
    asm.bind(more);
    asm.ret();
}

/// Setup words of stores by DMA; blocks of writes have to be decoded by Rust code.
fn set_up(asm: &mut Asm) {
    let [stride, slow] = std::array::from_fn(|_| asm.label());
    asm.vector(op::STORE, zmm::VALUE, 0, Rm::Mem(CTX, layout::VALUES), ALL);
    asm.load32(RAX, CTX, layout::VALUES);
    asm.mov(RCX, RAX);
    asm.shr32(RCX, 30);
    asm.cmp(RCX, 2);
    asm.jump_if(Cc::Below, slow);
    asm.jump_if(Cc::NotZero, stride);
    asm.store32(RAX, R12, core::DMA_STORE);
    asm.store_constant(1, R12, core::DMA_STORE + 4);
    answer(asm, 0);
    asm.bind(stride);
    asm.store32(RAX, R12, core::DMA_STORE_STRIDE);
    asm.store_constant(1, R12, core::DMA_STORE_STRIDE + 4);
    answer(asm, 0);
    asm.bind(slow);
    answer(asm, 1);
}
