//! Instruction to 64-bit word (guide p. 26). The word is stored little endian.

use super::inst::{Alu, Branch, Inst, Ldi, LdiMode, Sema};
use super::op::Cond;
use super::pack::Pack;
use super::reg::Waddr;

/// The word of an instruction. Fields hold at most as many bits as the word has for them; what lies above is dropped.
///
/// ```
/// use quadra_isa::vc4::{Inst, encode};
/// assert_eq!(encode(&Inst::NOP), 0x100009e7_009e7000);
/// ```
pub fn encode(inst: &Inst) -> u64 {
    match inst {
        Inst::Alu(i) => alu(i),
        Inst::Ldi(i) => ldi(i),
        Inst::Sema(i) => sema(i),
        Inst::Branch(i) => branch(i),
    }
}

fn field(value: u8, shift: u32, bits: u32) -> u64 {
    (u64::from(value) & ((1 << bits) - 1)) << shift
}

fn alu(i: &Alu) -> u64 {
    field(i.sig.code(), 60, 4)
        | field(i.unpack.code(), 57, 3)
        | output(i.pm, i.pack, [i.cond_add, i.cond_mul], i.sf, i.ws, [i.waddr_add, i.waddr_mul])
        | field(i.op_mul.code(), 29, 3)
        | field(i.op_add.code(), 24, 5)
        | field(i.raddr_a.0, 18, 6)
        | field(i.raddr_b.0, 12, 6)
        | field(i.add_a.code(), 9, 3)
        | field(i.add_b.code(), 6, 3)
        | field(i.mul_a.code(), 3, 3)
        | field(i.mul_b.code(), 0, 3)
}

fn ldi(i: &Ldi) -> u64 {
    let mode = match i.mode {
        LdiMode::All => 0,
        LdiMode::PerLaneSigned => 1,
        LdiMode::PerLaneUnsigned => 3,
    };
    field(14, 60, 4)
        | field(mode, 57, 3)
        | output(i.pm, i.pack, [i.cond_add, i.cond_mul], i.sf, i.ws, [i.waddr_add, i.waddr_mul])
        | u64::from(i.imm)
}

fn sema(i: &Sema) -> u64 {
    field(14, 60, 4)
        | field(4, 57, 3)
        | output(i.pm, i.pack, [i.cond_add, i.cond_mul], i.sf, i.ws, [i.waddr_add, i.waddr_mul])
        | u64::from(i.imm())
}

fn branch(i: &Branch) -> u64 {
    field(15, 60, 4)
        | field(i.ignored, 56, 4)
        | field(i.cond.code(), 52, 4)
        | field(i.rel.into(), 51, 1)
        | field(i.reg.into(), 50, 1)
        | field(i.raddr_a, 45, 5)
        | field(i.ws.into(), 44, 1)
        | field(i.waddr_add.0, 38, 6)
        | field(i.waddr_mul.0, 32, 6)
        | u64::from(i.imm as u32)
}

/// Bits 56:32, shared by the ALU and load immediate formats.
fn output(pm: bool, pack: Pack, conds: [Cond; 2], sf: bool, ws: bool, waddrs: [Waddr; 2]) -> u64 {
    field(pm.into(), 56, 1)
        | field(pack.code(), 52, 4)
        | field(conds[0].code(), 49, 3)
        | field(conds[1].code(), 46, 3)
        | field(sf.into(), 45, 1)
        | field(ws.into(), 44, 1)
        | field(waddrs[0].0, 38, 6)
        | field(waddrs[1].0, 32, 6)
}
