//! Which instructions are translated together: everything that execution can come to from a head, cut into blocks.
//!
//! A block is entered at its first instruction only. It ends behind the delay slots of a branch, before an instruction that
//! others jump to, before one that may have to wait, so that execution goes on there when the wait is over, and before one
//! that is left to the engines.

use super::super::facts::outputs_are_registers;
use quadra_base::quick::Set;
use quadra_isa::vc4::emu::translate::Listing;
use quadra_isa::vc4::{Alu, Branch, Cond, File, Inst, Mux, Raddr, Signal, Waddr};
use std::collections::{BTreeMap, BTreeSet};

/// Instructions that are translated together at most, and instructions of one block.
pub const MOST: usize = 6000;
const LONGEST: usize = 400;

/// Where execution goes behind a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// On to this instruction.
    Through(usize),
    /// The instruction behind the block is left to the engines.
    Leave,
    /// By the branch at this instruction, whose delay slots end the block.
    Branch(usize, Branch),
}

/// Instructions `start..start + len`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    pub start: usize,
    pub len: usize,
    pub end: End,
}

/// What execution can come to from a head.
#[derive(Debug, Default)]
pub struct Reach {
    leaders: BTreeSet<usize>,
    /// All instructions that blocks are made of or depend on, in order.
    pub seen: Vec<usize>,
    /// Those of them that are not decoded.
    pub missing: Vec<usize>,
}

/// The blocks that execution can come to, by their starts.
pub fn blocks(code: &Listing, reach: &Reach) -> BTreeMap<usize, Block> {
    reach.leaders.iter().filter_map(|start| Some((*start, block(code, *start, reach)?))).collect()
}

/// Looks for all that execution can come to from `head`.
pub fn reach(code: &Listing, head: usize) -> Reach {
    let mut reach = Reach { leaders: BTreeSet::from([head]), ..Reach::default() };
    let mut seen = Set::default();
    let mut open = vec![head];
    while let Some(start) = open.pop() {
        let mut at = start;
        while seen.len() < MOST && seen.insert(at) {
            reach.seen.push(at);
            let Some(known) = code.known(at) else { break };
            if waits(known.inst) {
                reach.leaders.insert(at);
            }
            if let Inst::Branch(_) = known.inst {
                reach.seen.extend(at + 1..at + 4);
            }
            if let Some(branch) = branch_at(code, at) {
                seen.extend(at + 1..at + 4);
                for next in branch.target(at).into_iter().chain([at + 4]) {
                    reach.leaders.insert(next);
                    open.push(next);
                }
                break;
            }
            if is_left(code, at) {
                if known.inst.signal() == Signal::ProgramEnd {
                    break;
                }
                reach.leaders.insert(at + 1);
            }
            at += 1;
        }
    }
    reach.seen.sort_unstable();
    reach.seen.dedup();
    reach.missing = reach.seen.iter().copied().filter(|at| code.is_missing(*at)).collect();
    reach
}

fn block(code: &Listing, start: usize, reach: &Reach) -> Option<Block> {
    let mut at = start;
    let end = loop {
        let known = reach.seen.binary_search(&at).is_ok();
        if !known || at > start && reach.leaders.contains(&at) || at - start >= LONGEST {
            break End::Through(at);
        }
        if let Some(branch) = branch_at(code, at) {
            at += 4;
            break End::Branch(at - 4, branch);
        }
        if is_left(code, at) {
            break End::Leave;
        }
        at += 1;
    };
    (at > start).then_some(Block { start, len: at - start, end })
}

/// Whether the instruction may have to wait for another QPU.
fn waits(inst: &Inst) -> bool {
    match inst {
        Inst::Alu(alu) => [alu.read(File::A), alu.read(File::B)].contains(&Some(Raddr::MUTEX_ACQUIRE)),
        Inst::Sema(_) => true,
        _ => false,
    }
}

/// Whether the engines must execute the instruction: it is not known, or changes what native code relies on.
fn is_left(code: &Listing, at: usize) -> bool {
    let Some(known) = code.known(at) else { return true };
    let signal = !matches!(known.inst.signal(), Signal::None | Signal::SmallImm | Signal::LoadTmu0 | Signal::LoadTmu1);
    // TMU_NOSWAP, and the coordinates of texture lookups.
    let writes = known.inst.writes().any(|(_, waddr, _)| matches!(waddr.0, 36 | 57..=59 | 61..=63));
    signal || writes || matches!(known.inst, Inst::Branch(_))
}

/// The branch at an instruction, if it can be translated with its delay slots.
fn branch_at(code: &Listing, at: usize) -> Option<Branch> {
    let known = code.known(at)?;
    let Inst::Branch(branch) = known.inst else { return None };
    if known.pair || known.checks_target || branch.raddr_a & 1 == 1 {
        return None;
    }
    let links = known.inst.writes().next().is_some();
    if links && (branch.cond != quadra_isa::vc4::BranchCond::Always || !outputs_are_registers(known.inst)) {
        return None;
    }
    if branch.target(at).is_some_and(|to| to >= code.len()) {
        return None;
    }
    let slots = (at + 1..at + 4).all(|slot| !is_left(code, slot));
    let paired = code.known(at + 1).is_none_or(|k| k.pair);
    (slots && !paired).then_some(*branch)
}

/// Whether the instruction is one that is translated itself, rather than executed by a call of the engine.
pub fn is_plain(code: &Listing, at: usize) -> bool {
    let Some(known) = code.known(at) else { return false };
    if !known.plain || known.pair {
        return false;
    }
    let always = |inst: &Inst| {
        inst.writes().all(|(_, waddr, cond)| match waddr.0 {
            0..=35 | 39 => true,
            37 | 40 | 48..=50 | 52..=56 | 60 => cond == Cond::Always,
            _ => false,
        })
    };
    match known.inst {
        Inst::Alu(alu) => is_plain_alu(alu) && always(known.inst),
        Inst::Ldi(ldi) => {
            let registers = known.inst.writes().all(|(_, waddr, _)| matches!(waddr.0, 0..=35 | 37 | 39 | 49 | 50));
            let set_ups = known.inst.writes().filter(|(_, waddr, _)| special(*waddr)).count();
            let whole = known.inst.writes().all(|(_, _, cond)| cond == Cond::Always);
            ldi.pack.code() == 0
                && registers
                && always(known.inst)
                && (set_ups == 0 || set_ups == 1 && whole && !ldi.sf)
        }
        Inst::Sema(sema) => known.inst.writes().next().is_none() && !sema.sf,
        Inst::Branch(_) => false,
    }
}

fn is_plain_alu(alu: &Alu) -> bool {
    use quadra_isa::vc4::{AddOp, MulOp};
    let reads = [alu.read(File::A), alu.read(File::B)].into_iter().flatten();
    let plain = reads.into_iter().all(|raddr| !matches!(raddr.0, 35 | 51));
    // One lookup, one vector for the VPM, one setup word or one special function at a time.
    let units = [alu.waddr_add, alu.waddr_mul].into_iter().filter(|w| special(*w)).count();
    let whole = (alu.op_add == AddOp::Nop || alu.cond_add == Cond::Always)
        && (alu.op_mul == MulOp::Nop || alu.cond_mul == Cond::Always);
    let flags_from_mul = alu.sf && alu.op_add == AddOp::Nop;
    let writes = |number: u8| Inst::Alu(*alu).writes().any(|(_, waddr, _)| waddr.0 == number);
    let sets_pointer = writes(Waddr::UNIFORMS_ADDRESS.0);
    // What an operation read must be there for its flags when the unit was called: a special function replaces r4.
    let replaced =
        [alu.waddr_add, alu.waddr_mul].iter().any(|w| w.is_sfu()) && [alu.add_a, alu.add_b].contains(&Mux::R4);
    let lasts = !(alu.sf && (alu.reads_uniform() || reads_vpm(alu) || alu.unpack.code() != 0 || replaced));
    plain
        && !((sets_pointer || writes(50)) && alu.reads_uniform())
        && (units == 0 || sets_pointer || whole && lasts)
        && alu.pack.code() == 0
        && units <= 1
        && alu.op_mul != MulOp::V8muld
        && !(flags_from_mul && alu.op_mul == MulOp::Mul24)
}

/// Whether the instruction takes a vector from the VPM.
pub fn reads_vpm(alu: &Alu) -> bool {
    [alu.read(File::A), alu.read(File::B)].contains(&Some(Raddr::VPM))
}

/// Whether a plain write goes to a unit, starts a special function or moves the uniforms.
pub fn special(waddr: Waddr) -> bool {
    matches!(waddr.0, 40 | 48..=50 | 52..=56 | 60)
}
