//! What an instruction reads and writes, with the conditions that matter to the rules.

use super::super::imm::{Rotation, SmallImm};
use super::super::inst::{Alu, Inst};
use super::super::op::{AddOp, Cond, MulOp};
use super::super::reg::{File, Mux, Raddr, Waddr};

/// An operand that has an effect.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Operand {
    pub mux: Mux,
    pub cond: Cond,
    /// Whether a lane of the result depends on the same lane of the operand only.
    pub lanewise: bool,
}

/// The accesses of one instruction.
#[derive(Clone, Default)]
pub struct Uses {
    pub operands: Vec<Operand>,
    pub writes: Vec<(File, Waddr, Cond)>,
    pub raddr_a: Option<Raddr>,
    pub raddr_b: Option<Raddr>,
    pub sets_flags: bool,
}

impl Uses {
    pub fn of(inst: &Inst) -> Uses {
        let mut uses = Uses { writes: inst.writes().collect(), sets_flags: inst.sets_flags(), ..Uses::default() };
        if let Inst::Alu(alu) = inst {
            uses.raddr_a = alu.read(File::A);
            uses.raddr_b = alu.read(File::B);
            uses.operands = operands(alu);
        }
        uses
    }

    pub fn read(&self, file: File) -> Option<Raddr> {
        match file {
            File::A => self.raddr_a,
            File::B => self.raddr_b,
        }
    }

    /// Whether either port reads this address.
    pub fn reads(&self, raddr: Raddr) -> bool {
        self.raddr_a == Some(raddr) || self.raddr_b == Some(raddr)
    }

    pub fn writes_to(&self, test: impl Fn(Waddr) -> bool) -> bool {
        self.writes.iter().any(|(_, waddr, _)| test(*waddr))
    }

    pub fn writes_in(&self, file: File, waddr: Waddr) -> bool {
        self.writes.iter().any(|(f, w, _)| (*f, *w) == (file, waddr))
    }
}

fn operands(alu: &Alu) -> Vec<Operand> {
    let mut operands = Vec::new();
    if alu.op_add != AddOp::Nop && has_effect(alu.cond_add, alu.waddr_add, alu.sf) {
        let lanewise = keeps_lanes(alu.waddr_add);
        let muxes = [alu.add_a, alu.add_b];
        let used = &muxes[..alu.op_add.operands()];
        operands.extend(used.iter().map(|mux| Operand { mux: *mux, cond: alu.cond_add, lanewise }));
    }
    if alu.op_mul != MulOp::Nop && has_effect(alu.cond_mul, alu.waddr_mul, alu.sf && alu.op_add == AddOp::Nop) {
        let lanewise = keeps_lanes(alu.waddr_mul) && rotation(alu).is_none();
        operands.extend([alu.mul_a, alu.mul_b].map(|mux| Operand { mux, cond: alu.cond_mul, lanewise }));
    }
    operands
}

fn has_effect(cond: Cond, waddr: Waddr, sets_flags: bool) -> bool {
    cond != Cond::Never && (waddr != Waddr::NOP || sets_flags)
}

/// r5 and peripherals use values of lanes whatever the condition says.
fn keeps_lanes(waddr: Waddr) -> bool {
    waddr != Waddr::R5 && !waddr.is_peripheral()
}

/// The rotation of the mul ALU's result, if the mul ALU does anything.
pub fn rotation(alu: &Alu) -> Option<Rotation> {
    if alu.op_mul == MulOp::Nop || alu.cond_mul == Cond::Never {
        return None;
    }
    alu.small_imm().and_then(SmallImm::rotation)
}

/// Whether a write under `writer` and a following read under `reader` concern different lanes, the flags being the same.
pub fn disjoint(writer: Cond, reader: Cond) -> bool {
    writer.is_conditional() && reader == writer.inverse()
}
