//! What liveness, allocation, both schedulers and the report ask of an instruction set.
//!
//! The machine has quick registers (none, or few), one or two files of registers, flags that some operations set, instructions
//! that do several operations at once, branches with delay slots, and queues: a request goes in, its result comes out later,
//! in order. Everything else that tells one machine from another is an answer of these traits.

use super::code::Code;
use super::kind::Kind;
use super::registers::{Bank, Reg, Set};
use quadra_base::Span;
use std::fmt::Debug;

/// An instruction set.
pub trait Isa: Copy + Debug + Default + 'static {
    type Inst: Instruction;
    /// The operations of one instruction, as the machine executes it.
    type Bundle: Copy + Debug + PartialEq;
    type Cond: Condition;
    type Spill: SpillCode<Self>;

    /// Registers that the next instruction reads without a port.
    const QUICK: u8;
    /// Files of registers, one or two; each instruction reads one register of each if there are two.
    const FILES: u8;
    /// Registers of a file.
    const FILE: u8;
    /// Registers behind those, which selection names itself.
    const SPECIAL: u8;
    /// Instructions from a write of a register of a file to its first read.
    const FILE_LATENCY: u32;
    /// Registers of each file without which spill code itself finds no place.
    const FEWEST: u8;
    /// Quick registers that are kept for [`Instruction::move_out`] if allocation needs all of them otherwise.
    const RESERVE: Set;
    /// Instructions behind a branch that always run.
    const DELAY_SLOTS: usize;
    /// The longest distance that [`Isa::apart`] gives.
    const LONGEST_APART: usize;
    /// What keeps its order, beside registers, flags and queues.
    const ORDERS: usize;
    /// Requests that a queue holds.
    const MOST_REQUESTS: usize;
    /// From a request to its result.
    const RESULT: Distance;
    /// Instructions from a request to its result where nothing stalls if a cache has it.
    const LOOKUP: u32;

    /// The instruction that does all of these at once, at most [`MOST_OPERATIONS`]; `None` if the machine has none. The caller
    /// has kept apart what depends on each other.
    fn bundle(insts: &[&Self::Inst]) -> Option<Self::Bundle>;

    /// The instruction that does nothing.
    fn nop() -> Self::Bundle;

    /// What ends a program.
    fn end() -> Vec<Self::Bundle>;

    /// How many instructions after `last` `next` may come at the earliest.
    fn apart(last: &Self::Bundle, next: &Self::Bundle) -> usize;

    /// Operations in an instruction, a signal alone counted as one.
    fn operations(bundle: &Self::Bundle) -> usize;

    /// Whether it asks a queue, and whether it takes a result.
    fn queue_use(bundle: &Self::Bundle, queue: usize) -> (bool, bool);

    /// Whether it does nothing but write registers outside of `needed`.
    fn is_harmless(bundle: &Self::Bundle, needed: Set) -> bool;

    /// Whether it may run in the delay slots of any branch.
    fn may_be_delayed(bundle: &Self::Bundle) -> bool;

    /// How far apart a write and a read of the same register or the flags are. A virtual register is taken to be quick.
    fn until_read(what: Resource, from: &Self::Inst, to: &Self::Inst) -> Distance;

    /// How far apart two writes of the same register or the flags are, and two operations that keep their order.
    fn until_write(what: Resource, from: &Self::Inst, to: &Self::Inst) -> Distance;

    /// Edges from one operation of a block to a later one that only save time: what stands still for long stays behind what others wait for.
    fn preferences(insts: &[Self::Inst]) -> Vec<(usize, usize)> {
        let _ = insts;
        Vec::new()
    }

    /// The least instructions that each resource allows for these operations and a branch, with its name.
    fn bounds(insts: &[Self::Inst]) -> Vec<(&'static str, u32)>;
}

/// Operations that one instruction may have on any machine.
pub const MOST_OPERATIONS: usize = 3;

/// Queues that a machine may have.
pub const MOST_QUEUES: usize = 2;

/// What operations share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Resource {
    Register(Reg),
    Flags,
    /// One of [`Isa::ORDERS`].
    Order(usize),
    Queue(usize),
}

/// Instructions between two operations: at least, and so many that nothing stalls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Distance {
    pub least: u32,
    pub calm: u32,
}

impl Distance {
    /// Where more instructions than the least change nothing.
    pub const fn exactly(n: u32) -> Distance {
        Distance { least: n, calm: n }
    }
}

/// What an operand takes beside its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    Register(Reg),
    /// Part of a register of a file; nothing else comes from that file.
    Part(Reg, Bank),
    /// A constant that takes the place of a register of this file.
    Immediate(Bank),
    /// Something else that is read like a register of this file.
    Port(Bank),
    /// Something that takes nothing which another operand wants.
    Other,
}

impl Operand {
    /// The register that is read.
    #[inline]
    pub fn reg(self) -> Option<Reg> {
        match self {
            Operand::Register(r) | Operand::Part(r, _) => Some(r),
            _ => None,
        }
    }
}

/// One operation.
pub trait Instruction: Copy + Debug {
    /// A copy.
    fn copy(dst: Reg, src: Reg) -> Self;

    /// Loads a constant.
    fn constant(dst: Reg, bits: u32) -> Self;

    /// An operation that is none, in place of one that has gone.
    fn nothing() -> Self;

    /// Whether it is [`Instruction::nothing`].
    fn is_nothing(&self) -> bool;

    fn span(&self) -> Option<Span>;

    fn set_span(&mut self, span: Option<Span>);

    /// What its operands read.
    fn operands(&self) -> [Option<Operand>; 2];

    /// A physical register that it reads beside its operands.
    fn also_reads(&self) -> Option<Reg>;

    /// The register written.
    fn def(&self) -> Option<Reg>;

    /// A physical register that it changes beside [`Instruction::def`].
    fn also_writes(&self) -> Option<Reg>;

    fn set_def(&mut self, r: Reg);

    /// Replaces the registers of operands; a probe's registers belong to the code.
    fn map_reads(&mut self, f: impl FnMut(Reg) -> Reg);

    /// Replaces the registers of operands, then that of the destination.
    fn map_registers(&mut self, mut f: impl FnMut(Reg) -> Reg) {
        self.map_reads(&mut f);
        if let Some(r) = self.def() {
            self.set_def(f(r));
        }
    }

    /// Whether the destination keeps its old value in some lanes.
    fn keeps_destination(&self) -> bool;

    fn sets_flags(&self) -> bool;

    fn reads_flags(&self) -> bool;

    /// Whether it does nothing but compute its destination register.
    fn is_pure(&self) -> bool;

    /// Whether it computes a result, or flags, of registers and constants alone.
    fn is_plain(&self) -> bool;

    /// Destination and source of a copy that does nothing else; it may be conditional.
    fn as_copy(&self) -> Option<(Reg, Reg)>;

    /// The only bank in which the register of an operand may lie.
    fn bank(&self, operand: usize) -> Option<Bank>;

    /// The operand that has to go through another register before the machine can read both.
    fn conflict(&self) -> Option<usize>;

    /// Lets an operand be read from `through`; gives the copy that puts it there.
    fn move_out(&mut self, operand: usize, through: Reg) -> Self;

    /// No spill code may stand between this operation and the one before it.
    fn is_glued(&self) -> bool;

    /// The probe that looks at registers here and does nothing else.
    fn probe(&self) -> Option<u32>;

    /// What it takes of an instruction.
    fn kind(&self) -> Kind;

    /// Which of the units of a machine it takes, as a neighbour of others in the program.
    fn unit(&self) -> Option<u8>;

    /// Calls `f` on what it does in order with others, of [`Isa::ORDERS`].
    fn orders(&self, f: impl FnMut(usize));

    /// Whether requests and results stay on their side of it.
    fn is_fence(&self) -> bool;

    /// Whether it asks a queue for something, or takes a result.
    fn is_request(&self, queue: usize) -> bool;

    fn is_receive(&self, queue: usize) -> bool;

    /// Whether iterations of a loop that overlap may have it.
    fn may_overlap(&self) -> bool;

    /// Whether it may run though its iteration does not happen, as far as it is not a matter of its destination's virtual register.
    fn may_be_in_vain(&self) -> bool;

    /// Calls `f` on [`Instruction::reads`].
    #[inline]
    fn for_each_read(&self, mut f: impl FnMut(Reg)) {
        for operand in self.operands() {
            if let Some(r) = operand.and_then(Operand::reg) {
                f(r);
            }
        }
        if let Some(r) = self.also_reads() {
            f(r);
        }
    }

    /// The registers that operands name; a conditional write's destination and a probe's registers come on top.
    #[inline]
    fn reads(&self) -> impl Iterator<Item = Reg> {
        self.operands().into_iter().flatten().filter_map(Operand::reg).chain(self.also_reads())
    }
}

/// The condition of a branch.
pub trait Condition: Copy + Debug + PartialEq {
    const ALWAYS: Self;

    /// Met where this one is not.
    fn inverse(self) -> Option<Self>;
}

/// A place for a spilled value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Home {
    /// Computed again.
    Constant(u32),
    /// A vector of the near memory.
    Near(u32),
    /// Offset in memory, in bytes.
    Memory(u32),
}

/// Writes spill code.
pub trait SpillCode<I: Isa>: Clone {
    /// Vectors of the near memory that spilled values may take.
    fn near(&self) -> u32;

    /// Memory in use, in bytes.
    fn bytes(&mut self) -> &mut u32;

    /// Loads a value into `t`, the last operation being the one that writes `t`.
    fn reload(&mut self, code: &mut Code<I>, home: Home, t: Reg, out: &mut Vec<I::Inst>);

    /// Stores `t`, which exactly one operation reads.
    fn store(&mut self, code: &mut Code<I>, home: Home, t: Reg, out: &mut Vec<I::Inst>);

    /// What the program has to do first for the code written since the last call.
    fn prologue(&mut self) -> Vec<I::Inst>;
}
