//! Scheduling: operations of a block to instruction slots, branches with their delay slots.
//!
//! A list scheduler: among the operations whose operands are ready, the one with the longest way to the block's end goes
//! first, and others join it if one instruction can do them all. The branch then takes the place that leaves its delay
//! slots behind it.

pub mod borders;
pub mod delay;
pub mod deps;

use super::code::{Block, BlockId, Code, Term};
use super::isa::{Condition, Instruction, Isa, MOST_OPERATIONS, MOST_QUEUES};
use deps::{Graph, Queues};
use quadra_base::Span;
use smallvec::SmallVec;
use std::collections::VecDeque;

/// The operations of one instruction, by their places in the block.
type Row = SmallVec<[usize; MOST_OPERATIONS]>;

/// One instruction of the program.
#[derive(Clone, Debug)]
pub enum Slot<I: Isa> {
    Op {
        bundle: I::Bundle,
        span: Option<Span>,
        probe: Option<u32>,
    },
    /// To an instruction of a block, mostly the first.
    Branch {
        cond: I::Cond,
        to: BlockId,
        skip: usize,
        span: Option<Span>,
    },
}

impl<I: Isa> Slot<I> {
    /// A slot in which nothing happens.
    pub fn nop(span: Option<Span>) -> Slot<I> {
        Slot::Op { bundle: I::nop(), span, probe: None }
    }

    /// What the machine executes; nothing that others have to keep away from for a branch.
    pub fn bundle(&self) -> I::Bundle {
        match self {
            Slot::Op { bundle, .. } => *bundle,
            Slot::Branch { .. } => I::nop(),
        }
    }
}

/// The slots of each block, in the order of the program.
pub fn run<I: Isa>(code: &Code<I>, queues: Queues, opt_level: u8) -> Vec<Vec<Slot<I>>> {
    (0..code.blocks.len()).map(|b| block_slots(code, queues, b, opt_level)).collect()
}

fn block_slots<I: Isa>(code: &Code<I>, queues: Queues, b: BlockId, opt_level: u8) -> Vec<Slot<I>> {
    let block = &code.blocks[b];
    if let Some(rows) = &block.rows {
        return fixed(block, rows, b);
    }
    let queues = if block.open { [deps::Queue::Open; MOST_QUEUES] } else { queues };
    let graph = deps::graph(code, &block.insts, queues);
    let rows = match opt_level {
        0 => in_order(&graph),
        _ if matches!(block.term, Term::Branch { .. }) => with_branch::<I>(&graph, &block.insts),
        _ => list::<I>(&graph, &heights(&graph, None), &block.insts),
    };
    let last_setter = last_setter(&rows, &block.insts);
    let mut slots: Vec<Slot<I>> = rows.iter().map(|row| slot(&block.insts, row, block.span)).collect();
    end_block(&mut slots, block.term, b, last_setter, block.span);
    slots
}

/// The instructions that an iteration of a loop of one block takes, as the list scheduler makes it, and how long it takes if
/// results come [`Isa::LOOKUP`] instructions after their requests.
pub fn length<I: Isa>(code: &Code<I>, queues: Queues, b: BlockId) -> (usize, usize) {
    let slots = block_slots(code, queues, b, 1);
    let mut asked = [VecDeque::new(), VecDeque::new()];
    let mut now = 0;
    for bundle in slots.iter().map(Slot::bundle) {
        for (queue, asked) in asked.iter_mut().enumerate() {
            let (asks, receives) = I::queue_use(&bundle, queue);
            if receives && let Some(since) = asked.pop_front() {
                now = now.max(since + I::LOOKUP as usize);
            }
            if asks {
                asked.push_back(now);
            }
        }
        now += 1;
    }
    (slots.len(), now)
}

/// The slots of a block whose rows are fixed.
fn fixed<I: Isa>(block: &Block<I>, rows: &[Vec<usize>], b: BlockId) -> Vec<Slot<I>> {
    let mut slots: Vec<Slot<I>> = rows.iter().map(|row| slot(&block.insts, row, block.span)).collect();
    let before = slots.len() - I::DELAY_SLOTS;
    let Term::Branch { cond, taken, other } = block.term else { return slots };
    let (cond, taken, other) = match cond.inverse() {
        Some(inverse) if taken == b + 1 => (inverse, other, taken),
        _ => (cond, taken, other),
    };
    slots.insert(before, Slot::Branch { cond, to: taken, skip: 0, span: block.span });
    if other != b + 1 {
        let end = slots.len();
        branch(&mut slots, end, I::Cond::ALWAYS, other, block.span);
    }
    slots
}

fn slot<I: Isa>(insts: &[I::Inst], row: &[usize], span: Option<Span>) -> Slot<I> {
    let ops: SmallVec<[&I::Inst; MOST_OPERATIONS]> = row.iter().map(|&i| &insts[i]).collect();
    let Some(first) = ops.first() else { return Slot::nop(span) };
    let bundle = I::bundle(&ops).expect("rows hold what fits into one instruction");
    Slot::Op { bundle, span: ops.iter().find_map(|op| op.span()), probe: first.probe() }
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

fn last_setter(rows: &[Row], insts: &[impl Instruction]) -> Option<usize> {
    rows.iter().rposition(|row| row.iter().any(|&i| insts[i].sets_flags()))
}

/// A block that ends with a branch on the flags: what sets them should come early enough that the delay slots are filled,
/// but not at the cost of the other operations. Both ways are tried.
fn with_branch<I: Isa>(graph: &Graph, insts: &[I::Inst]) -> Vec<Row> {
    let setter = insts.iter().rposition(|i| i.sets_flags());
    let length = |rows: &Vec<Row>| {
        let after = last_setter(rows, insts).map_or(0, |f| f + 1);
        rows.len().saturating_sub(I::DELAY_SLOTS).max(after) + 1 + I::DELAY_SLOTS
    };
    let late = list::<I>(graph, &heights(graph, setter.map(|i| (i, 1 + I::DELAY_SLOTS as u32))), insts);
    if length(&late) <= late.len() + 1 {
        return late;
    }
    let early = list::<I>(graph, &heights(graph, setter.map(|i| (i, 1 << 20))), insts);
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
fn list<I: Isa>(graph: &Graph, height: &[u32], insts: &[I::Inst]) -> Vec<Row> {
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
        while row.len() < MOST_OPERATIONS {
            let joins = |&i: &usize| {
                if earliest[i] > time || refused[i] == time {
                    return false;
                }
                let mut ops = [&insts[i]; MOST_OPERATIONS];
                for (slot, &other) in ops.iter_mut().zip(&row) {
                    *slot = &insts[other];
                }
                let fits = I::bundle(&ops[..=row.len()]).is_some();
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
fn end_block<I: Isa>(
    slots: &mut Vec<Slot<I>>,
    term: Term<I::Cond>,
    block: BlockId,
    last_setter: Option<usize>,
    span: Option<Span>,
) {
    let next = block + 1;
    let n = slots.len();
    match term {
        Term::End => slots.extend(I::end().into_iter().map(|bundle| Slot::Op { bundle, span, probe: None })),
        Term::Jump(to) if to == next => {}
        Term::Jump(to) => branch(slots, n.saturating_sub(I::DELAY_SLOTS), I::Cond::ALWAYS, to, span),
        Term::Branch { cond, taken, other } => {
            let at = n.saturating_sub(I::DELAY_SLOTS).max(last_setter.map_or(0, |f| f + 1));
            let (cond, taken, other) = match cond.inverse() {
                Some(inverse) if taken == next => (inverse, other, taken),
                _ => (cond, taken, other),
            };
            branch(slots, at, cond, taken, span);
            if other != next {
                let end = slots.len();
                branch(slots, end, I::Cond::ALWAYS, other, span);
            }
        }
    }
}

fn branch<I: Isa>(slots: &mut Vec<Slot<I>>, at: usize, cond: I::Cond, to: BlockId, span: Option<Span>) {
    slots.insert(at, Slot::Branch { cond, to, skip: 0, span });
    while slots.len() < at + 1 + I::DELAY_SLOTS {
        slots.push(Slot::nop(span));
    }
}
