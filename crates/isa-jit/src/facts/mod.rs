//! What is known about the registers at a point of a program, and what blocks want to know.
//!
//! The processor's results differ from the QPU's in two ways that are dealt with late: a zero may carry a sign, which no
//! float operation can tell, and NaN goes through additions and products, where the QPU has infinities. So each register is
//! known to hold the exact bits, or the exact bits but for the sign of a zero; and to hold a number, or perhaps none.

use super::region::{Block, Region};
use quadra_isa::vc4::emu::translate::registers as slot;
use quadra_isa::vc4::{AddOp, Alu, Cond, File, Inst, MulOp, Mux, Unpack, Waddr};

/// Number of registers: files A and B, r0 to r5.
pub const REGISTERS: usize = 70;

/// A set of registers.
pub type Set = u128;

/// How a register's bits relate to those of the QPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The same.
    Exact,
    /// A float, the same but for the sign of a zero.
    Zero,
    /// Either of the two, by the way execution came; nobody looks at it but float operations.
    Mixed,
}

/// What is known about all registers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Facts {
    pub kinds: [Kind; REGISTERS],
    /// Registers that hold no NaN.
    pub numbers: Set,
}

/// What a block does to the registers as a whole.
#[derive(Clone, Copy, Debug, Default)]
pub struct Needs {
    /// Registers whose exact bits are wanted at the block's start: all but those that are overwritten before anybody
    /// looks. An exit is possible behind every block, so that this does not depend on what follows.
    pub exact: Set,
    /// Registers that float operations use before they are overwritten.
    pub numbers: Set,
    /// Registers that are read or written.
    pub used: Set,
    pub written: Set,
}

/// The bit of a register in a [`Set`].
pub const fn bit(register: u8) -> Set {
    1 << register
}

/// The register that a write address names in a file, if it is one.
pub fn written_register(file: File, waddr: Waddr) -> Option<u8> {
    match (waddr.0, file) {
        (n @ 0..32, File::A) => Some(slot::RA + n),
        (n @ 0..32, File::B) => Some(slot::RB + n),
        (n @ 32..=35, _) => Some(slot::ACC + n - 32),
        (37, _) => Some(slot::R5),
        _ => None,
    }
}

/// The slot that an operand is read from; uniforms have none.
pub fn operand_slot(alu: &Alu, mux: Mux) -> Option<u8> {
    let read = |n: u8, file: File| match (n, file) {
        (n @ 0..32, File::A) => Some(slot::RA + n),
        (n @ 0..32, File::B) => Some(slot::RB + n),
        (32, _) => None,
        (39, _) => Some(slot::UNDEFINED),
        (41, File::A) => Some(slot::X_PIXEL),
        (41, File::B) => Some(slot::Y_PIXEL),
        (42, File::A) => Some(slot::MS_FLAGS),
        (42, File::B) => Some(slot::REV_FLAG),
        (_, File::A) => Some(slot::ELEMENT),
        (_, File::B) => Some(slot::QPU),
    };
    match (mux, alu.small_imm()) {
        (Mux::A, _) => read(alu.raddr_a.0, File::A),
        (Mux::B, Some(imm)) => Some(slot::IMMEDIATE + (imm.0 & 63)),
        (Mux::B, None) => read(alu.raddr_b.0, File::B),
        (accumulator, _) => Some(slot::ACC + accumulator.code()),
    }
}

/// Whether an operand goes through an unpacker.
pub fn is_unpacked(alu: &Alu, mux: Mux) -> bool {
    alu.unpack != Unpack::None && mux == if alu.pm { Mux::R4 } else { Mux::A }
}

/// Whether the add operation of an instruction has any effect; likewise the mul operation.
pub fn acts(alu: &Alu) -> [bool; 2] {
    let add = alu.op_add != AddOp::Nop && alu.cond_add != Cond::Never && (alu.waddr_add != Waddr::NOP || alu.sf);
    let flags_from_mul = alu.sf && alu.op_add == AddOp::Nop;
    let mul =
        alu.op_mul != MulOp::Nop && alu.cond_mul != Cond::Never && (alu.waddr_mul != Waddr::NOP || flags_from_mul);
    [add, mul]
}

/// What a block does.
pub fn needs(block: &Block) -> Needs {
    let mut needs = Needs::default();
    let mut overwritten = 0;
    for inst in &block.insts {
        if let Inst::Alu(alu) = inst {
            uses(alu, overwritten, &mut needs);
        }
        for (file, waddr, cond) in inst.writes() {
            let Some(register) = written_register(file, waddr) else { continue };
            needs.used |= bit(register);
            needs.written |= bit(register);
            match cond {
                Cond::Always => overwritten |= bit(register),
                _ => needs.exact |= bit(register) & !overwritten,
            }
        }
        if inst.signal().loads_r4() || inst.writes().any(|(_, waddr, _)| waddr.is_sfu()) {
            needs.used |= bit(slot::R4);
            needs.written |= bit(slot::R4);
            overwritten |= bit(slot::R4);
        }
    }
    needs.exact |= !overwritten;
    needs
}

fn uses(alu: &Alu, overwritten: Set, needs: &mut Needs) {
    let [add, mul] = acts(alu);
    let float_add = matches!(alu.op_add, AddOp::Fadd | AddOp::Fsub);
    let rotates = alu.small_imm().is_some_and(|imm| imm.rotation().is_some());
    let operands = [
        (add, alu.op_add.operands(), [alu.add_a, alu.add_b], float_add, alu.cond_add),
        (mul, alu.op_mul.operands(), [alu.mul_a, alu.mul_b], alu.op_mul == MulOp::Fmul && !rotates, alu.cond_mul),
    ];
    for (_, count, muxes, float, cond) in operands.into_iter().filter(|o| o.0) {
        for &mux in &muxes[..count] {
            let Some(register) = operand_slot(alu, mux).filter(|s| usize::from(*s) < REGISTERS) else { continue };
            let here = bit(register) & !overwritten;
            needs.used |= bit(register);
            if float && cond == Cond::Always && !is_unpacked(alu, mux) {
                needs.numbers |= here;
            } else {
                needs.exact |= here;
            }
        }
    }
}

impl Facts {
    /// What is known where a region is entered, once the registers that its first block needs are checked.
    pub fn at_entry(needs: &Needs) -> Facts {
        Facts { kinds: [Kind::Exact; REGISTERS], numbers: needs.numbers }
    }

    /// What is known at the start of a block with these needs that may be reached with `self` and with `other`.
    pub fn join(&self, other: &Facts, needs: &Needs) -> Facts {
        let kinds = std::array::from_fn(|i| match (self.kinds[i], other.kinds[i]) {
            (a, b) if a == b => a,
            _ if needs.exact >> i & 1 == 1 => Kind::Exact,
            _ => Kind::Mixed,
        });
        Facts { kinds, numbers: self.numbers & other.numbers | needs.numbers }
    }
}

/// What is known at the start of each block, given what running a block makes of it.
pub fn solve(region: &Region, head: usize, mut run: impl FnMut(&Block, &Facts) -> Facts) -> Vec<(usize, Facts)> {
    let needs: Vec<(usize, Needs)> = region.iter().map(|(start, block)| (*start, self::needs(block))).collect();
    let needs_of = |start: usize| needs.iter().find(|n| n.0 == start).map(|n| n.1);
    let mut known: std::collections::BTreeMap<usize, Facts> = Default::default();
    known.insert(head, Facts::at_entry(&needs_of(head).unwrap_or_default()));
    let mut open = vec![head];
    while let Some(at) = open.pop() {
        let (Some(block), Some(facts)) = (region.get(&at), known.get(&at)) else { continue };
        let after = run(block, facts);
        for (to, _) in block.next.targets() {
            let (Some(needs), Some(next)) = (needs_of(to), region.get(&to)) else { continue };
            if !block.may_precede(next) {
                continue;
            }
            let old = known.get(&to);
            let new = match old {
                Some(old) => old.join(&after, &needs),
                None => Facts { numbers: after.numbers | needs.numbers, ..after.clone() },
            };
            if old != Some(&new) {
                known.insert(to, new);
                open.push(to);
            }
        }
    }
    known.into_iter().collect()
}

/// Whether all that an instruction writes are registers of the files and r0 to r3.
pub fn outputs_are_registers(inst: &Inst) -> bool {
    inst.writes().all(|(file, waddr, _)| written_register(file, waddr).is_some_and(|r| r != slot::R5))
}
