//! Operations of the VideoCore IV, one per instruction, and where its registers lie.

use super::Vc4;
use crate::machine::code;
pub use crate::machine::code::{BlockId, ProbePoint, VirtInfo};
pub use crate::machine::registers::Reg;
use quadra_base::Span;
use quadra_isa::vc4::{AddOp, BranchCond, Cond, MulOp, Raddr, Signal, SmallImm, Unpack, Waddr};

pub type Code = code::Code<Vc4>;
pub type Block = code::Block<Vc4>;
pub type Term = code::Term<BranchCond>;

/// Where a physical register is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// r0 to r3.
    Acc(u8),
    A(u8),
    B(u8),
    R4,
    R5,
}

/// Registers r0 to r3 come first, then file A, file B, r4 and r5.
impl Place {
    /// The place of a register; virtual ones have none.
    pub fn of(r: Reg) -> Option<Place> {
        let Reg::Phys(n) = r else { return None };
        Some(match n {
            0..4 => Place::Acc(n),
            4..36 => Place::A(n - 4),
            36..68 => Place::B(n - 36),
            68 => Place::R4,
            _ => Place::R5,
        })
    }
}

impl Reg {
    pub const R4: Reg = Reg::Phys(68);
    pub const R5: Reg = Reg::Phys(69);
}

/// What an operand reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Src {
    Reg(Reg),
    /// A byte or half of a register in file A, as operations on integers see it.
    Part(Reg, Unpack),
    /// A value that a small immediate can express.
    Imm(SmallImm),
    /// The next word of the uniform stream.
    Uniform,
    /// Lane i reads i.
    Element,
    /// The next vector of the VPM read block.
    Vpm,
    /// Waits for the DMA load.
    LoadWait,
    /// Waits for the DMA stores.
    StoreWait,
    /// Takes the mutex.
    Mutex,
}

impl Src {
    /// The virtual or physical register that is read.
    pub fn reg(self) -> Option<Reg> {
        match self {
            Src::Reg(r) | Src::Part(r, _) => Some(r),
            _ => None,
        }
    }

    /// The peripheral read address, and whether it exists on file A and on file B.
    pub fn peripheral(self) -> Option<(Raddr, bool, bool)> {
        Some(match self {
            Src::Reg(_) | Src::Part(..) | Src::Imm(_) => return None,
            Src::Uniform => (Raddr::UNIFORM, true, true),
            Src::Element => (Raddr::ELEMENT_NUMBER, true, false),
            Src::Vpm => (Raddr::VPM, true, true),
            Src::LoadWait => (Raddr::VPM_LD_WAIT, true, false),
            Src::StoreWait => (Raddr::VPM_ST_WAIT, false, true),
            Src::Mutex => (Raddr::MUTEX_ACQUIRE, true, true),
        })
    }
}

impl From<Reg> for Src {
    fn from(r: Reg) -> Src {
        Src::Reg(r)
    }
}

/// Where a result goes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dst {
    None,
    /// r5 is written through file B: lane 0 to all lanes.
    Reg(Reg),
    /// A peripheral; `true` for file B where the files differ.
    Peripheral(Waddr, Option<bool>),
}

impl Dst {
    pub const RD_SETUP: Dst = Dst::Peripheral(Waddr::VPM_RD_SETUP, Some(false));
    pub const WR_SETUP: Dst = Dst::Peripheral(Waddr::VPM_WR_SETUP, Some(true));
    pub const LD_ADDR: Dst = Dst::Peripheral(Waddr::VPM_LD_ADDR, Some(false));
    pub const ST_ADDR: Dst = Dst::Peripheral(Waddr::VPM_ST_ADDR, Some(true));
    pub const VPM: Dst = Dst::Peripheral(Waddr::VPM, None);

    /// The register that is written.
    pub fn reg(self) -> Option<Reg> {
        match self {
            Dst::Reg(r) => Some(r),
            _ => None,
        }
    }
}

impl From<Reg> for Dst {
    fn from(r: Reg) -> Dst {
        Dst::Reg(r)
    }
}

/// What an instruction does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Oper {
    Add(AddOp),
    Mul(MulOp),
    /// A copy of the first operand, on either ALU.
    Mov,
    /// Twice the first operand, a float, on either ALU: its sum with itself or its product with 2.0 have the same bits, exact, infinite or 0.
    Double,
    /// A constant.
    Ldi(u32),
    /// Increments (`false`) or decrements a semaphore.
    Sema(bool, u8),
    /// A signal alone; a load of TMU0 or TMU1 writes r4.
    Signal(Signal),
    /// Nothing happens; the probe with this index of `Code::probes` looks at its registers here.
    Probe(u32),
}

/// Rotation of the result, mul ALU only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rotate {
    None,
    /// Lane i goes to lane i + n, n in 1..=15.
    By(u8),
    /// By bits 3:0 of r5.
    R5,
}

/// One operation.
#[derive(Clone, Copy, Debug)]
pub struct MInst {
    pub op: Oper,
    pub dst: Dst,
    pub src: [Option<Src>; 2],
    pub cond: Cond,
    pub sf: bool,
    pub rotate: Rotate,
    /// No spill code may stand between this instruction and the one before it: both belong to one VPM or DMA sequence.
    pub glued: bool,
    pub span: Option<Span>,
}

impl MInst {
    /// An unconditional operation.
    pub fn new(op: Oper, dst: impl Into<Dst>, src: &[Src]) -> MInst {
        let src = [src.first().copied(), src.get(1).copied()];
        let (cond, sf, rotate) = (Cond::Always, false, Rotate::None);
        MInst { op, dst: dst.into(), src, cond, sf, rotate, glued: false, span: None }
    }

    /// A copy.
    pub fn mov(dst: impl Into<Dst>, src: impl Into<Src>) -> MInst {
        MInst::new(Oper::Mov, dst, &[src.into()])
    }

    /// An operation of the add ALU.
    pub fn add(op: AddOp, dst: impl Into<Dst>, a: impl Into<Src>, b: impl Into<Src>) -> MInst {
        MInst::new(Oper::Add(op), dst, &[a.into(), b.into()])
    }

    /// An operation of the mul ALU.
    pub fn mul(op: MulOp, dst: impl Into<Dst>, a: impl Into<Src>, b: impl Into<Src>) -> MInst {
        MInst::new(Oper::Mul(op), dst, &[a.into(), b.into()])
    }

    /// The same with a condition.
    pub fn when(self, cond: Cond) -> MInst {
        MInst { cond, ..self }
    }

    /// The same, setting the flags.
    pub fn flags(self) -> MInst {
        MInst { sf: true, ..self }
    }

    /// The same, glued to the instruction before it.
    pub fn glue(self) -> MInst {
        MInst { glued: true, ..self }
    }
}

/// The instruction that loads a constant: a move of a small immediate can share an instruction word, a load immediate
/// cannot.
pub fn constant(dst: Reg, bits: u32) -> MInst {
    match SmallImm::from_bits(bits) {
        Some(imm) => MInst::mov(dst, Src::Imm(imm)),
        None => MInst::new(Oper::Ldi(bits), dst, &[]),
    }
}

/// A small integer as an operand.
///
/// # Panics
/// If it is not in -16..=15.
pub fn imm(value: i32) -> Src {
    Src::Imm(SmallImm::from_int(value).expect("-16 to 15 have codes"))
}

/// A constant shift count, of which the hardware takes the low five bits: all of them have small immediates.
pub fn shift_count(count: u32) -> Src {
    let low = (count & 31) as i32;
    imm(if low < 16 { low } else { low - 32 })
}
