//! Which instructions are translated together: the blocks of a loop, or a straight piece of code.
//!
//! A block is a run of instructions with one entry. It ends behind the delay slots of a branch, before an instruction that
//! is left to the engines, before an instruction that others branch to, and behind a write of the uniforms' address, so
//! that all uniforms of a block follow one another in memory.

use quadra_isa::vc4::emu::translate::Listing;
use quadra_isa::vc4::{
    AddOp, Alu, BranchCond, Cond, File, Inst, MulOp, Mux, Pack, Signal, Unpack, Waddr, imm::Rotation,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Instructions and blocks that are translated together at most: what LLVM compiles in some tens of milliseconds.
const MOST_INSTRUCTIONS: usize = 1200;
const MOST_BLOCKS: usize = 96;
/// A straight piece shorter than this is not worth the call.
const FEWEST: usize = 8;
/// Instructions of one block at most.
const LONGEST: usize = 400;

/// Where execution goes behind a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// To this instruction, without a jump.
    Through(usize),
    /// To `taken` if the condition of the branch at instruction `branch` holds, else to `through`.
    Branch { branch: usize, cond: BranchCond, taken: usize, through: usize },
}

impl Next {
    /// Targets, with a mark for a jump.
    pub fn targets(self) -> Vec<(usize, bool)> {
        match self {
            Next::Through(to) => vec![(to, false)],
            Next::Branch { cond: BranchCond::Always, taken, .. } => vec![(taken, true)],
            Next::Branch { taken, through, .. } => vec![(taken, true), (through, false)],
        }
    }
}

/// A run of instructions that is entered at its first.
#[derive(Clone, Debug)]
pub struct Block {
    pub start: usize,
    pub insts: Vec<Inst>,
    pub next: Next,
    /// Uniforms that it reads.
    pub uniforms: u64,
    /// Instructions from the start to the first that touches r4 in a way that a running special function forbids, and from
    /// the last start of a special function to the end.
    pub r4_first: Option<usize>,
    pub sfu_last: Option<usize>,
    /// Likewise for reads of uniforms, and writes of their address.
    pub uniform_first: Option<usize>,
    pub address_last: Option<usize>,
}

impl Block {
    /// Whether `next` may run right behind this block, as far as special functions and uniforms are concerned.
    pub fn may_precede(&self, next: &Block) -> bool {
        let apart = |last: Option<usize>, first: Option<usize>| match (last, first) {
            (Some(last), Some(first)) => self.insts.len() - last + first >= 3,
            // A short block passes on what it does not deal with itself: then the engine looks after it.
            (Some(last), None) => next.insts.len() >= 3 || self.insts.len() - last >= 3,
            _ => true,
        };
        apart(self.sfu_last, next.r4_first) && apart(self.address_last, next.uniform_first)
    }
}

/// Blocks by their first instruction.
pub type Region = BTreeMap<usize, Block>;

/// The blocks to translate for execution that begins at `head`; `None` if there is nothing to gain.
pub fn region(code: &Listing, head: usize) -> Option<Region> {
    let leaders = leaders(code, head);
    let mut blocks = Region::new();
    let mut open = vec![head];
    let mut size = 0;
    while let Some(start) = open.pop() {
        if blocks.contains_key(&start) || blocks.len() >= MOST_BLOCKS || size >= MOST_INSTRUCTIONS {
            continue;
        }
        if let Some(block) = block(code, start, &leaders) {
            size += block.insts.len();
            open.extend(block.next.targets().into_iter().map(|(to, _)| to));
            blocks.insert(start, block);
        }
    }
    let looping = back_to(&blocks, head);
    if looping.contains(&head) {
        blocks.retain(|start, _| looping.contains(start));
    } else if blocks.get(&head)?.insts.len() < FEWEST {
        return None;
    }
    Some(blocks)
}

/// Blocks from which execution can come to `head`.
fn back_to(blocks: &Region, head: usize) -> BTreeSet<usize> {
    let mut before: HashMap<usize, Vec<usize>> = HashMap::new();
    for (start, block) in blocks {
        for (to, _) in block.next.targets() {
            before.entry(to).or_default().push(*start);
        }
    }
    let (mut found, mut open) = (BTreeSet::new(), vec![head]);
    while let Some(at) = open.pop() {
        for &from in before.get(&at).into_iter().flatten() {
            if found.insert(from) {
                open.push(from);
            }
        }
    }
    found
}

/// Instructions near `head` that branches go to.
fn leaders(code: &Listing, head: usize) -> BTreeSet<usize> {
    let range = head.saturating_sub(2 * MOST_INSTRUCTIONS)..(head + 2 * MOST_INSTRUCTIONS).min(code.len());
    let target = |i: usize| match code.inst(i) {
        Some(Inst::Branch(branch)) => branch.target(i),
        _ => None,
    };
    range.filter_map(target).chain([head]).collect()
}

fn block(code: &Listing, start: usize, leaders: &BTreeSet<usize>) -> Option<Block> {
    let mut block = Block {
        start,
        insts: Vec::new(),
        next: Next::Through(start),
        uniforms: 0,
        r4_first: None,
        sfu_last: None,
        uniform_first: None,
        address_last: None,
    };
    let mut at = start;
    while block.insts.len() < LONGEST && (at == start || !leaders.contains(&at)) {
        let Some(inst) = code.inst(at) else { break };
        if let Inst::Branch(_) = inst {
            block.take_branch(code, at);
            break;
        }
        if !block.take(inst) {
            break;
        }
        at += 1;
        block.next = Next::Through(at);
        if block.address_last == Some(block.insts.len() - 1) {
            break;
        }
    }
    (!block.insts.is_empty()).then_some(block)
}

impl Block {
    /// Takes a plain instruction in, unless it must be left to the engines.
    fn take(&mut self, inst: &Inst) -> bool {
        if !is_plain(inst) {
            return false;
        }
        let here = self.insts.len();
        let since = |last: Option<usize>| last.map_or(usize::MAX, |l| here - l);
        if touches_r4(inst) {
            if since(self.sfu_last) < 3 {
                return false;
            }
            self.r4_first.get_or_insert(here);
        }
        let reads_uniform = matches!(inst, Inst::Alu(alu) if alu.reads_uniform());
        if reads_uniform {
            if self.address_last.is_some() {
                return false;
            }
            self.uniform_first.get_or_insert(here);
            self.uniforms += 1;
        }
        for (_, waddr, _) in inst.writes() {
            if waddr.is_sfu() {
                self.sfu_last = Some(here);
            }
            if waddr == Waddr::UNIFORMS_ADDRESS {
                self.address_last = Some(here);
            }
        }
        self.insts.push(*inst);
        true
    }

    /// Takes a branch with its delay slots in, if all of them are plain.
    fn take_branch(&mut self, code: &Listing, at: usize) {
        let Some(Inst::Branch(branch)) = code.inst(at) else { return };
        let Some(taken) = branch.target(at).filter(|t| *t < code.len()) else { return };
        if branch.raddr_a & 1 == 1 || [branch.waddr_add, branch.waddr_mul] != [Waddr::NOP; 2] {
            return;
        }
        let before = self.clone();
        self.insts.push(Inst::Branch(*branch));
        for slot in at + 1..at + 4 {
            let Some(inst) = code.inst(slot).filter(|i| !matches!(i, Inst::Branch(_))) else {
                *self = before;
                return;
            };
            if !self.take(inst) {
                *self = before;
                return;
            }
        }
        self.next = Next::Branch { branch: self.insts.len() - 4, cond: branch.cond, taken, through: at + 4 };
    }
}

/// Whether the instruction touches only what blocks may touch, in a way that `step` knows.
fn is_plain(inst: &Inst) -> bool {
    let operations = match inst {
        Inst::Alu(alu) => is_plain_alu(alu),
        Inst::Ldi(ldi) => ldi.pack == Pack::None,
        _ => false,
    };
    operations && inst.writes().all(|(_, waddr, cond)| is_plain_write(waddr, cond))
}

fn is_plain_alu(alu: &Alu) -> bool {
    let reads = [alu.read(File::A), alu.read(File::B)];
    let plain = reads.into_iter().flatten().all(|raddr| !matches!(raddr.0, 35 | 48 | 50 | 51));
    let rotation = alu.small_imm().and_then(|imm| imm.rotation()).filter(|_| alu.op_mul != MulOp::Nop);
    // A rotation by r5 is done through memory, which serves whole vectors only.
    let full = |mux: Mux| matches!(mux, Mux::R0 | Mux::R1 | Mux::R2 | Mux::R3 | Mux::B);
    let rotates = rotation != Some(Rotation::R5) || full(alu.mul_a) && full(alu.mul_b);
    let signal = matches!(alu.sig, Signal::None | Signal::SmallImm | Signal::LoadTmu0 | Signal::LoadTmu1);
    plain && rotates && signal && alu.pack == Pack::None
}

fn is_plain_write(waddr: Waddr, cond: Cond) -> bool {
    match waddr.0 {
        0..=35 | 37 | 39 => true,
        40 | 52..=56 | 60 => cond == Cond::Always,
        _ => false,
    }
}

/// Whether the instruction reads or replaces r4 or starts a special function.
pub fn touches_r4(inst: &Inst) -> bool {
    let Inst::Alu(alu) = inst else { return false };
    alu.op_add != AddOp::Nop && [alu.add_a, alu.add_b].contains(&Mux::R4)
        || alu.op_mul != MulOp::Nop && [alu.mul_a, alu.mul_b].contains(&Mux::R4)
        || alu.pm && alu.unpack != Unpack::None
        || alu.sig.loads_r4()
        || inst.writes().any(|(_, waddr, _)| waddr.is_sfu())
}
