//! Relaxed machine code: one operation per instruction, virtual or physical registers, blocks with one terminator each.
//!
//! The code is not SSA: a conditional write keeps the other lanes of its destination, so it also reads it.

use super::isa::{Instruction, Isa};
use super::registers::{Bank, Reg};
use quadra_base::Span;
use quadra_kir as kir;
use std::sync::Arc;

/// Index of a block.
pub type BlockId = usize;

/// How a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term<C> {
    Jump(BlockId),
    /// On the flags as the block leaves them.
    Branch {
        cond: C,
        taken: BlockId,
        other: BlockId,
    },
    End,
}

impl<C> Term<C> {
    /// The blocks that may follow.
    pub fn targets(&self) -> impl Iterator<Item = BlockId> + use<C> {
        let (a, b) = match *self {
            Term::Jump(t) => (Some(t), None),
            Term::Branch { taken, other, .. } => (Some(taken), Some(other)),
            Term::End => (None, None),
        };
        a.into_iter().chain(b)
    }

    /// Applies `f` to each target.
    pub fn map(self, f: impl Fn(BlockId) -> BlockId) -> Term<C> {
        match self {
            Term::Jump(t) => Term::Jump(f(t)),
            Term::Branch { cond, taken, other } => Term::Branch { cond, taken: f(taken), other: f(other) },
            Term::End => Term::End,
        }
    }
}

/// A block.
#[derive(Clone, Debug)]
pub struct Block<I: Isa> {
    pub insts: Vec<I::Inst>,
    pub term: Term<I::Cond>,
    /// Number of loops around it.
    pub depth: u32,
    /// Place of the terminator.
    pub span: Option<Span>,
    /// Rows of instruction indices, if the order of the instructions is fixed: one row per machine instruction, the branch
    /// that ends the block not included. It stands in front of the last rows, as many as there are delay slots.
    pub rows: Option<Vec<Vec<usize>>>,
    /// Requests stay open at a border of this block, whatever is true elsewhere.
    pub open: bool,
    /// The number of the loop that this block is, for reports.
    pub tag: Option<u32>,
}

impl<I: Isa> Block<I> {
    /// A block whose instructions are free to move.
    pub fn new(insts: Vec<I::Inst>, term: Term<I::Cond>, depth: u32, span: Option<Span>) -> Block<I> {
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

impl ProbePoint {
    /// The registers it looks at.
    pub fn registers(&self) -> impl Iterator<Item = Reg> {
        self.operands.iter().map(|o| o.0).chain(self.mask)
    }

    /// Replaces the registers it looks at.
    pub fn map_registers(&mut self, mut f: impl FnMut(Reg) -> Reg) {
        self.operands.iter_mut().for_each(|o| o.0 = f(o.0));
        self.mask = self.mask.map(f);
    }
}

/// What is known of a virtual register.
#[derive(Clone, Copy, Debug, Default)]
pub struct VirtInfo {
    /// The only bank in which it may lie.
    pub bank: Option<Bank>,
    /// Always this constant: computed again rather than spilled.
    pub constant: Option<u32>,
    /// Never spilled: part of spill code, or what spill code needs.
    pub pinned: bool,
    /// Where its value is in the kernel's source, for messages and listings.
    pub span: Option<Span>,
}

/// Machine code of a kernel. Blocks run in the order of the vector where a jump goes to the next one.
#[derive(Clone, Debug, Default)]
pub struct Code<I: Isa> {
    pub blocks: Vec<Block<I>>,
    pub virt: Vec<VirtInfo>,
    pub probes: Vec<ProbePoint>,
}

impl<I: Isa> Code<I> {
    /// A new virtual register.
    pub fn fresh(&mut self) -> Reg {
        self.fresh_in(VirtInfo::default())
    }

    /// A new virtual register of which this is known.
    pub fn fresh_in(&mut self, info: VirtInfo) -> Reg {
        self.virt.push(info);
        Reg::Virt(self.virt.len() as u32 - 1)
    }

    /// An operation that no machine instruction does, whatever stands beside it: its operands exclude each other.
    pub fn impossible(&self) -> Option<&I::Inst> {
        self.blocks.iter().flat_map(|b| &b.insts).find(|inst| I::bundle(&[inst]).is_none())
    }

    /// The registers that the probe at an instruction looks at.
    pub fn probed(&self, inst: &I::Inst) -> impl Iterator<Item = Reg> {
        inst.probe().into_iter().flat_map(|p| self.probes[p as usize].registers())
    }

    /// Calls `f` on every register that an instruction reads, a conditional write's destination included.
    pub fn for_each_use(&self, inst: &I::Inst, mut f: impl FnMut(Reg)) {
        inst.for_each_read(&mut f);
        if inst.keeps_destination()
            && let Some(r) = inst.def()
        {
            f(r);
        }
        if inst.probe().is_some() {
            self.probed(inst).for_each(f);
        }
    }
}
