//! Relaxed machine code: one operation per instruction, virtual or physical registers, blocks with one terminator each.
//!
//! The code is not SSA: a conditional write keeps the other lanes of its destination, so it also reads it.

use quadra_base::Span;
use quadra_isa::vc4::{AddOp, BranchCond, Cond, MulOp, Raddr, Signal, SmallImm, Unpack, Waddr};
use quadra_kir as kir;
use std::sync::Arc;

/// A register: virtual until `regalloc`, physical afterwards; r4 and r5 always are what they are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Reg {
    Virt(u32),
    /// r0 to r3.
    Acc(u8),
    A(u8),
    B(u8),
    R4,
    R5,
}

impl Reg {
    /// The number of a virtual register.
    pub fn virt(self) -> Option<u32> {
        match self {
            Reg::Virt(n) => Some(n),
            _ => None,
        }
    }
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
    /// A constant.
    Ldi(u32),
    /// Increments (`false`) or decrements a semaphore.
    Sema(bool, u8),
    /// A signal alone; a load of TMU0 or TMU1 writes r4.
    Signal(Signal),
    /// Nothing happens; the probe with this index of [`Code::probes`] looks at its registers here.
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

    /// The registers that operands name; a conditional write's destination and a probe's registers come on top.
    pub fn reads(&self) -> impl Iterator<Item = Reg> + '_ {
        self.src.iter().flatten().filter_map(|s| s.reg()).chain((self.rotate == Rotate::R5).then_some(Reg::R5))
    }

    /// Replaces the registers of operands, then that of the destination; a probe's registers belong to the code.
    pub fn map_registers(&mut self, mut f: impl FnMut(Reg) -> Reg) {
        for s in self.src.iter_mut().flatten() {
            if let Src::Reg(r) | Src::Part(r, _) = s {
                *r = f(*r);
            }
        }
        if let Dst::Reg(r) = &mut self.dst {
            *r = f(*r);
        }
    }

    /// Whether the destination keeps its old value in some lanes.
    pub fn keeps_destination(&self) -> bool {
        self.cond != Cond::Always
    }

    /// The register written, r4 for TMU loads and SFU writes not included.
    pub fn def(&self) -> Option<Reg> {
        self.dst.reg()
    }

    /// Whether it does nothing but compute its destination register.
    pub fn is_pure(&self) -> bool {
        let quiet = |s: &Src| matches!(s, Src::Reg(_) | Src::Part(..) | Src::Imm(_) | Src::Element);
        matches!(self.op, Oper::Add(_) | Oper::Mul(_) | Oper::Mov | Oper::Ldi(_))
            && !self.sf
            && matches!(self.dst, Dst::Reg(_))
            && self.src.iter().flatten().all(quiet)
    }
}

/// Index of a block.
pub type BlockId = usize;

/// How a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    Jump(BlockId),
    /// On the flags as the block leaves them.
    Branch {
        cond: BranchCond,
        taken: BlockId,
        other: BlockId,
    },
    End,
}

impl Term {
    /// The blocks that may follow.
    pub fn targets(self) -> impl Iterator<Item = BlockId> {
        let (a, b) = match self {
            Term::Jump(t) => (Some(t), None),
            Term::Branch { taken, other, .. } => (Some(taken), Some(other)),
            Term::End => (None, None),
        };
        a.into_iter().chain(b)
    }

    /// Applies `f` to each target.
    pub fn map(self, f: impl Fn(BlockId) -> BlockId) -> Term {
        match self {
            Term::Jump(t) => Term::Jump(f(t)),
            Term::Branch { cond, taken, other } => Term::Branch { cond, taken: f(taken), other: f(other) },
            Term::End => Term::End,
        }
    }
}

/// A block.
#[derive(Clone, Debug)]
pub struct Block {
    pub insts: Vec<MInst>,
    pub term: Term,
    /// Number of loops around it.
    pub depth: u32,
    /// Place of the terminator.
    pub span: Option<Span>,
    /// Rows of instruction indices, if the order of the instructions is fixed: one row per machine instruction, the branch
    /// that ends the block not included. It stands in front of the last three rows.
    pub rows: Option<Vec<Vec<usize>>>,
    /// TMU requests stay open at a border of this block, whatever is true elsewhere.
    pub open: bool,
    /// The number of the loop that this block is, for reports.
    pub tag: Option<u32>,
}

impl Block {
    /// A block whose instructions are free to move.
    pub fn new(insts: Vec<MInst>, term: Term, depth: u32, span: Option<Span>) -> Block {
        Block { insts, term, depth, span, rows: None, open: false, tag: None }
    }
}

/// What `print` or `assert` looks at, or a remark for listings.
#[derive(Clone, Debug)]
pub struct ProbePoint {
    pub assert: bool,
    /// Only `text` counts, and it goes into the listing.
    pub comment: bool,
    pub text: Arc<str>,
    /// Register and type of each operand.
    pub operands: Vec<(Reg, kir::Type)>,
    /// Live lanes: those where the register is not 0; all without it.
    pub mask: Option<Reg>,
}

/// What is known of a virtual register.
#[derive(Clone, Copy, Debug, Default)]
pub struct VirtInfo {
    /// Must lie in r0 to r3 (source of a rotation).
    pub accumulator: bool,
    /// Must lie in file A (parts of it are read).
    pub file_a: bool,
    /// Always this constant: computed again rather than spilled.
    pub constant: Option<u32>,
    /// Never spilled: part of spill code, or what spill code needs.
    pub pinned: bool,
    /// Where its value is in the kernel's source, for messages and listings.
    pub span: Option<Span>,
}

/// Machine code of a kernel. Blocks run in the order of the vector where a jump goes to the next one.
#[derive(Clone, Debug, Default)]
pub struct Code {
    pub blocks: Vec<Block>,
    pub virt: Vec<VirtInfo>,
    pub probes: Vec<ProbePoint>,
}

impl ProbePoint {
    /// Replaces the registers it looks at.
    pub fn map_registers(&mut self, mut f: impl FnMut(Reg) -> Reg) {
        self.operands.iter_mut().for_each(|o| o.0 = f(o.0));
        self.mask = self.mask.map(f);
    }
}

impl Code {
    /// A new virtual register.
    pub fn fresh(&mut self) -> Reg {
        self.virt.push(VirtInfo::default());
        Reg::Virt(self.virt.len() as u32 - 1)
    }

    /// Calls `f` on every register that an instruction reads, a conditional write's destination included.
    pub fn for_each_use(&self, inst: &MInst, mut f: impl FnMut(Reg)) {
        inst.reads().for_each(&mut f);
        if inst.keeps_destination()
            && let Some(r) = inst.def()
        {
            f(r);
        }
        if let Oper::Probe(p) = inst.op {
            let probe = &self.probes[p as usize];
            probe.operands.iter().map(|o| o.0).chain(probe.mask).for_each(&mut f);
        }
    }
}
