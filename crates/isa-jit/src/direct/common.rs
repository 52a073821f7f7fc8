//! What all blocks share: the way in and out, and calls of the engine.

use super::super::x64::{ALL, Asm, Cc, Label, Rm, gpr::*, op};
use super::alu::{self, mask, scalar};
use super::call::layout;
use super::emit::{Common, each_float};
use super::places::{CTX, constant, exit, in_memory, zmm};
use quadra_isa::vc4::emu::translate::{core, registers as slot};

/// Registers that a called function must leave as they are.
const KEPT: [u8; 6] = [RBX, RBP, R12, R13, R14, R15];
const FLAGS: [(u8, i32); 3] = [(mask::Z, core::FLAG_Z), (mask::N, core::FLAG_N), (mask::C, core::FLAG_C)];

pub fn emit(asm: &mut Asm) -> Common {
    let common = Common::new(asm);
    let [step, again, unit, set_up, special, peek, leave] = common.labels();
    entry(asm, &common);
    asm.bind(step);
    call_step(asm, layout::STEP);
    asm.load(R13, CTX, layout::UNIFORM);
    asm.load(R14, CTX, layout::UNIFORM_END);
    asm.ret();
    asm.bind(again);
    call_step(asm, layout::STEP_AGAIN);
    asm.ret();
    asm.bind(unit);
    save(asm);
    call(asm, layout::UNIT);
    load(asm);
    asm.ret();
    asm.bind(peek);
    save(asm);
    call(asm, layout::PEEK);
    load(asm);
    asm.ret();
    asm.bind(set_up);
    save(asm);
    asm.store(R13, CTX, layout::UNIFORM);
    call(asm, layout::SET_UP);
    load(asm);
    asm.load(R13, CTX, layout::UNIFORM);
    asm.load(R14, CTX, layout::UNIFORM_END);
    asm.ret();
    // The same for a special function, whose time counts, and which computes with floats.
    asm.bind(special);
    save(asm);
    asm.load(RAX, CTX, layout::END);
    asm.sub_reg(RAX, R15);
    asm.sub_reg(RAX, R8);
    asm.store(RAX, R12, core::ISSUED);
    asm.ldmxcsr(CTX, layout::USUAL);
    call(asm, layout::SET_UP);
    asm.ldmxcsr(CTX, layout::MODE);
    load(asm);
    asm.ret();
    for (label, lanes) in common.settle.into_iter().zip([[Some(0), None], [None, Some(0)], [Some(0); 2]]) {
        asm.bind(label);
        each_float(asm, lanes, alu::settle);
        asm.ret();
    }
    super::units::emit(asm, &common.units);
    called(asm, common.called);
    way_out(asm, leave);
    common
}

fn way_out(asm: &mut Asm, leave: Label) {
    asm.bind(leave);
    save(asm);
    asm.store(R15, CTX, layout::LEFT);
    asm.store(R13, CTX, layout::UNIFORM);
    asm.ldmxcsr(CTX, layout::USUAL);
    asm.vzeroupper();
    asm.add(RSP, 8);
    for register in KEPT.into_iter().rev() {
        asm.pop(register);
    }
    asm.ret();
}

/// See [`Common`]; uniforms that only the instruction itself has read are counted by the engine.
fn called(asm: &mut Asm, label: Label) {
    let at = asm.label();
    asm.bind(label);
    asm.cmp(RAX, 1);
    asm.jump_if(Cc::Zero, at);
    asm.add(RCX, 1);
    asm.add(RSI, -1);
    asm.mov(R8, RDX);
    asm.shr32(R8, 16);
    asm.shl(R8, 2);
    asm.add_reg(R13, R8);
    asm.bind(at);
    asm.and32(RDX, 0xffff);
    asm.add_reg_to_memory(RDX, R12, core::UNIFORMS);
    asm.shl(RDX, 2);
    asm.add_reg(R13, RDX);
    asm.add_reg(R15, RSI);
    asm.store32(RCX, CTX, layout::INDEX);
    asm.store_constant(exit::AT, CTX, layout::KIND);
}

/// The function that is called from outside, with the context and the address of a block.
fn entry(asm: &mut Asm, common: &Common) {
    asm.bind(common.entry);
    for register in KEPT {
        asm.push(register);
    }
    asm.sub(RSP, 8);
    asm.mov(CTX, RDI);
    asm.load(R12, CTX, layout::CORE);
    asm.load(RBX, CTX, layout::SLOTS);
    asm.load(R13, CTX, layout::UNIFORM);
    asm.load(R14, CTX, layout::UNIFORM_END);
    asm.load(R15, CTX, layout::LEFT);
    asm.ldmxcsr(CTX, layout::MODE);
    load(asm);
    asm.jump_to(RSI);
}

/// Calls the engine for the instruction in `esi`, with the uniforms from `r8`.
fn call_step(asm: &mut Asm, function: i32) {
    save(asm);
    asm.load(RAX, CTX, layout::END);
    asm.sub_reg(RAX, R15);
    asm.sub_reg(RAX, RDX);
    asm.store(RAX, R12, core::ISSUED);
    asm.sub_memory(R8, CTX, layout::UNIFORM_BIAS);
    asm.store32(R8, R12, core::UNIFORM_ADDRESS);
    asm.ldmxcsr(CTX, layout::USUAL);
    call(asm, function);
    asm.ldmxcsr(CTX, layout::MODE);
    load(asm);
}

fn call(asm: &mut Asm, function: i32) {
    // Rust code is compiled without AVX: its instructions would wait for the upper halves of what they write.
    asm.vzeroupper();
    asm.mov(RDI, CTX);
    asm.sub(RSP, 8);
    asm.call_memory(CTX, function);
    asm.add(RSP, 8);
}

fn save(asm: &mut Asm) {
    for n in 0..6 {
        asm.vector(op::STORE, n, 0, in_memory(slot::ACC + n), ALL);
    }
    for (mask, at) in FLAGS {
        asm.kstore(mask, R12, at);
    }
}

fn load(asm: &mut Asm) {
    for n in 0..6 {
        asm.vector(op::LOAD, n, 0, in_memory(slot::ACC + n), ALL);
    }
    for (mask, at) in FLAGS {
        asm.kload(mask, R12, at);
    }
    asm.vector(op::VPXORD, zmm::ZERO, zmm::ZERO, Rm::Reg(zmm::ZERO), ALL);
    asm.vector(op::VPBROADCASTD, zmm::ODD, 0, scalar(constant::ODD), ALL);
    asm.vector(op::VPBROADCASTD, zmm::ODD_BITS, 0, scalar(constant::ODD_BITS), ALL);
}
