//! Scheduling: operations of a block to instruction slots, branches with their delay slots.
//!
//! A list scheduler: among the operations whose operands are ready, the one with the longest way to the block's end goes
//! first, and others join it if one instruction can do them all. The branch then takes the place that leaves three
//! instructions behind it.

pub mod delay;
pub mod deps;

use crate::vc4::bundle;
use crate::vc4::minst::{Block, BlockId, Code, MInst, Oper, Term};
use deps::Graph;
use quadra_base::Span;
use quadra_isa::vc4::{Alu, BranchCond, Inst, Signal, Waddr};
use smallvec::SmallVec;
use std::collections::VecDeque;

/// The operations of one instruction, by their places in the block.
type Row = SmallVec<[usize; 3]>;

/// Instructions behind a branch that always run (VideoCore IV guide p. 34).
pub const DELAY_SLOTS: usize = 3;

/// One instruction of the program.
#[derive(Clone, Debug)]
pub enum Slot {
    Op {
        inst: Inst,
        span: Option<Span>,
        probe: Option<u32>,
    },
    /// To an instruction of a block, mostly the first.
    Branch {
        cond: BranchCond,
        to: BlockId,
        skip: usize,
        span: Option<Span>,
    },
}

impl Slot {
    /// A slot in which nothing happens.
    pub fn nop(span: Option<Span>) -> Slot {
        Slot::Op { inst: Inst::NOP, span, probe: None }
    }
}

/// The slots of each block, in the order of the program.
pub fn run(code: &Code, queues: [deps::Queue; 2], opt_level: u8) -> Vec<Vec<Slot>> {
    (0..code.blocks.len()).map(|b| block_slots(code, queues, b, opt_level)).collect()
}

fn block_slots(code: &Code, queues: [deps::Queue; 2], b: BlockId, opt_level: u8) -> Vec<Slot> {
    let block = &code.blocks[b];
    if let Some(rows) = &block.rows {
        return fixed(block, rows, b);
    }
    let queues = if block.open { [deps::Queue::Open; 2] } else { queues };
    let graph = deps::graph(code, &block.insts, queues);
    let rows = match opt_level {
        0 => in_order(&graph),
        _ if is_branch(&block.term) => with_branch(&graph, &block.insts),
        _ => list(&graph, &heights(&graph, None), &block.insts),
    };
    let last_setter = last_setter(&rows, &block.insts);
    let mut slots: Vec<Slot> = rows.iter().map(|row| slot(&block.insts, row, block.span)).collect();
    end_block(&mut slots, block.term, b, last_setter, block.span);
    slots
}

/// The instructions that an iteration of a loop of one block takes, as the list scheduler makes it, and how long it takes if
/// results of the TMUs come `latency` instructions after their requests.
pub fn length(code: &Code, queues: [deps::Queue; 2], b: BlockId, latency: usize) -> (usize, usize) {
    let slots = block_slots(code, queues, b, 1);
    let mut asked = [VecDeque::new(), VecDeque::new()];
    let mut now = 0;
    for slot in &slots {
        let Slot::Op { inst: Inst::Alu(alu), .. } = slot else {
            now += 1;
            continue;
        };
        for (tmu, asked) in asked.iter_mut().enumerate() {
            if alu.sig == [Signal::LoadTmu0, Signal::LoadTmu1][tmu]
                && let Some(since) = asked.pop_front()
            {
                now = now.max(since + latency);
            }
            let s = [Waddr::TMU0_S, Waddr::TMU1_S][tmu];
            if alu.waddr_add == s || alu.waddr_mul == s {
                asked.push_back(now);
            }
        }
        now += 1;
    }
    (slots.len(), now)
}

/// The slots of a block whose rows are fixed.
fn fixed(block: &Block, rows: &[Vec<usize>], b: BlockId) -> Vec<Slot> {
    let mut slots: Vec<Slot> = rows.iter().map(|row| slot(&block.insts, row, block.span)).collect();
    let before = slots.len() - DELAY_SLOTS;
    let Term::Branch { cond, taken, other } = block.term else { return slots };
    let (cond, taken, other) = match cond.inverse() {
        Some(inverse) if taken == b + 1 => (inverse, other, taken),
        _ => (cond, taken, other),
    };
    slots.insert(before, Slot::Branch { cond, to: taken, skip: 0, span: block.span });
    if other != b + 1 {
        let end = slots.len();
        branch(&mut slots, end, BranchCond::Always, other, block.span);
    }
    slots
}

fn is_branch(term: &Term) -> bool {
    matches!(term, Term::Branch { .. })
}

fn slot(insts: &[MInst], row: &[usize], span: Option<Span>) -> Slot {
    let ops: SmallVec<[&MInst; 3]> = row.iter().map(|&i| &insts[i]).collect();
    let Some(first) = ops.first() else { return Slot::nop(span) };
    let inst = bundle::fit(&ops).expect("rows hold what fits into one instruction");
    let probe = match first.op {
        Oper::Probe(p) => Some(p),
        _ => None,
    };
    Slot::Op { inst, span: ops.iter().find_map(|op| op.span), probe }
}

/// Program order, one operation per instruction.
fn in_order(graph: &Graph) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut earliest = vec![0u32; graph.len()];
    for i in 0..graph.len() {
        while (rows.len() as u32) < earliest[i] {
            rows.push(Row::new());
        }
        let time = rows.len() as u32;
        rows.push(Row::from_slice(&[i]));
        for e in graph.next(i) {
            earliest[e.to] = earliest[e.to].max(time + e.distance.max(1));
        }
    }
    rows
}

fn last_setter(rows: &[Row], insts: &[MInst]) -> Option<usize> {
    rows.iter().rposition(|row| row.iter().any(|&i| insts[i].sf))
}

/// A block that ends with a branch on the flags: what sets them should come early enough that the delay slots are filled,
/// but not at the cost of the other operations. Both ways are tried.
fn with_branch(graph: &Graph, insts: &[MInst]) -> Vec<Row> {
    let setter = insts.iter().rposition(|i| i.sf);
    let length = |rows: &Vec<Row>| {
        let after = last_setter(rows, insts).map_or(0, |f| f + 1);
        rows.len().saturating_sub(DELAY_SLOTS).max(after) + 1 + DELAY_SLOTS
    };
    let late = list(graph, &heights(graph, setter.map(|i| (i, 1 + DELAY_SLOTS as u32))), insts);
    if length(&late) <= late.len() + 1 {
        return late;
    }
    let early = list(graph, &heights(graph, setter.map(|i| (i, 1 << 20))), insts);
    if length(&early) < length(&late) { early } else { late }
}

/// Longest way to the end of the block, in instructions without stalls; one instruction may be given a way of its own.
fn heights(graph: &Graph, setter: Option<(usize, u32)>) -> Vec<u32> {
    let mut height = vec![0u32; graph.len()];
    for i in (0..graph.len()).rev() {
        let own = setter.filter(|s| s.0 == i).map_or(0, |s| s.1);
        height[i] = graph.next(i).iter().map(|e| e.wish + height[e.to]).max().unwrap_or(0).max(own);
    }
    height
}

/// List scheduling.
fn list(graph: &Graph, height: &[u32], insts: &[MInst]) -> Vec<Row> {
    let mut waiting = graph.waiting.clone();
    let mut earliest = vec![0u32; insts.len()];
    // What waits for nothing but its time, the longest way first.
    let key = |i: usize| (std::cmp::Reverse(height[i]), i);
    let mut ready: Vec<usize> = (0..insts.len()).filter(|&i| waiting[i] == 0).collect();
    ready.sort_unstable_by_key(|&i| key(i));
    // The instruction in which an operation found no room; it finds none beside more operations, either.
    let mut refused = vec![u32::MAX; insts.len()];
    let mut rows: Vec<Row> = Vec::with_capacity(insts.len());
    let mut left = insts.len();
    while left > 0 {
        let time = rows.len() as u32;
        let mut row = Row::new();
        // Once per operation that joins: what it enables may join too.
        while row.len() < 3 {
            let joins = |&i: &usize| {
                if earliest[i] > time || refused[i] == time {
                    return false;
                }
                let mut ops = [&insts[i]; 3];
                for (slot, &other) in ops.iter_mut().zip(&row) {
                    *slot = &insts[other];
                }
                let fits = bundle::fit(&ops[..=row.len()]).is_some();
                refused[i] = if fits { refused[i] } else { time };
                fits
            };
            let Some(k) = ready.iter().position(joins) else { break };
            let pick = ready.remove(k);
            row.push(pick);
            left -= 1;
            for e in graph.next(pick) {
                earliest[e.to] = earliest[e.to].max(time + e.distance);
                waiting[e.to] -= 1;
                if waiting[e.to] == 0 {
                    let at = ready.partition_point(|&i| key(i) < key(e.to));
                    ready.insert(at, e.to);
                }
            }
        }
        rows.push(row);
    }
    rows
}

/// Adds the branch, so that as much as possible stands in its delay slots.
fn end_block(slots: &mut Vec<Slot>, term: Term, block: BlockId, last_setter: Option<usize>, span: Option<Span>) {
    let next = block + 1;
    let n = slots.len();
    match term {
        Term::End => {
            // The signal and the two instructions behind it, which still run (VideoCore IV guide p. 21).
            slots.push(Slot::Op { inst: Inst::Alu(Alu::signal(Signal::ProgramEnd)), span, probe: None });
            slots.extend([Slot::nop(span), Slot::nop(span)]);
        }
        Term::Jump(to) if to == next => {}
        Term::Jump(to) => branch(slots, n.saturating_sub(DELAY_SLOTS), BranchCond::Always, to, span),
        Term::Branch { cond, taken, other } => {
            let at = n.saturating_sub(DELAY_SLOTS).max(last_setter.map_or(0, |f| f + 1));
            let (cond, taken, other) = match cond.inverse() {
                Some(inverse) if taken == next => (inverse, other, taken),
                _ => (cond, taken, other),
            };
            branch(slots, at, cond, taken, span);
            if other != next {
                let end = slots.len();
                branch(slots, end, BranchCond::Always, other, span);
            }
        }
    }
}

fn branch(slots: &mut Vec<Slot>, at: usize, cond: BranchCond, to: BlockId, span: Option<Span>) {
    slots.insert(at, Slot::Branch { cond, to, skip: 0, span });
    while slots.len() < at + 1 + DELAY_SLOTS {
        slots.push(Slot::nop(span));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vc4::minst::{Dst, Reg, Src};
    use quadra_isa::vc4::{AddOp, MulOp, SmallImm};

    fn schedule(insts: Vec<MInst>, term: Term, level: u8) -> Vec<Slot> {
        let block = Block::new(insts, term, 0, None);
        let end = Block::new(Vec::new(), Term::End, 0, None);
        let code = Code { blocks: vec![block, end.clone(), end], ..Code::default() };
        run(&code, deps::queues(&code), level).remove(0)
    }

    fn adds(n: u8) -> Vec<MInst> {
        (0..n).map(|i| MInst::add(AddOp::Add, Reg::A(i), Reg::A(i), Reg::B(i))).collect()
    }

    #[test]
    fn add_and_mul_share_an_instruction() {
        let insts = vec![
            MInst::add(AddOp::Fadd, Reg::Acc(0), Reg::Acc(1), Reg::Acc(2)),
            MInst::mul(MulOp::Fmul, Reg::Acc(1), Reg::Acc(2), Reg::Acc(3)),
        ];
        assert_eq!(schedule(insts.clone(), Term::Jump(1), 1).len(), 1);
        assert_eq!(schedule(insts, Term::Jump(1), 0).len(), 2);
    }

    #[test]
    fn a_file_register_is_not_read_by_the_next_instruction() {
        let insts = vec![
            MInst::add(AddOp::Add, Reg::A(0), Reg::Acc(1), Reg::Acc(2)),
            MInst::add(AddOp::Add, Reg::Acc(0), Reg::A(0), Reg::Acc(2)),
        ];
        for level in [0, 1] {
            assert_eq!(schedule(insts.clone(), Term::Jump(1), level).len(), 3);
        }
    }

    #[test]
    fn delay_slots_are_filled() {
        let mut insts = adds(5);
        insts.push(MInst::mov(Dst::None, Src::Imm(SmallImm::from_int(1).expect("small"))).flags());
        let term = Term::Branch { cond: BranchCond::AnyZc, taken: 2, other: 1 };
        let slots = schedule(insts, term, 1);
        let at = slots.iter().position(|s| matches!(s, Slot::Branch { .. })).expect("a branch");
        assert_eq!(slots.len() - at, 1 + DELAY_SLOTS);
        assert_eq!(slots.len(), 7, "five additions, what sets the flags, and the branch");
    }
}
