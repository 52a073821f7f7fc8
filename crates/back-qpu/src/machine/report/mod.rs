//! What a program's loops cost and why.

use super::code::{BlockId, Code};
use super::isa::{Instruction, Isa};
use super::modulo::{self, Outcome};
use super::schedule::Slot;
use super::schedule::deps::Queues;
use quadra_base::Span;

/// An innermost loop of one block.
#[derive(Clone, Debug)]
pub struct LoopReport {
    /// Its label in the listing, and the number of its first instruction.
    pub label: String,
    pub first: usize,
    /// Instruction slots per iteration.
    pub slots: u32,
    /// Operations of one iteration.
    pub operations: u32,
    /// Iterations that are under way at once.
    pub stages: u32,
    /// Slots without an operation, and with two.
    pub empty: u32,
    pub paired: u32,
    /// The least slots per iteration that each resource allows.
    pub bounds: Bounds,
    /// Why the loop is not pipelined, if it is not.
    pub obstacle: Option<&'static str>,
    pub span: Option<Span>,
}

/// The least slots per iteration that each resource allows, with its name; the branch has a slot of its own.
#[derive(Clone, Debug, Default)]
pub struct Bounds(Vec<(&'static str, u32)>);

impl Bounds {
    fn of<I: Isa>(insts: &[I::Inst], latency: u32) -> Bounds {
        let mut all = I::bounds(insts);
        // The longest chain from one iteration to the next; a branch and its delay slots.
        all.extend([("latency", latency), ("branch", 1 + I::DELAY_SLOTS as u32)]);
        Bounds(all)
    }

    /// Each bound with its name.
    pub fn all(&self) -> Vec<(&'static str, u32)> {
        self.0.clone()
    }

    /// The bound that binds: the largest.
    pub fn binding(&self) -> (&'static str, u32) {
        self.0.iter().rev().copied().max_by_key(|b| b.1).unwrap_or(("branch", 1))
    }
}

impl LoopReport {
    /// What stands between the loop and its bound, in words.
    pub fn gap(&self) -> String {
        let (name, bound) = self.bounds.binding();
        if self.slots <= bound {
            return format!("at its bound ({name})");
        }
        let mut parts = Vec::new();
        if let Some(obstacle) = self.obstacle {
            parts.push(format!("not pipelined: {obstacle}"));
        }
        if self.empty > 0 {
            parts.push(format!("{} empty slots", self.empty));
        }
        let single = self.slots.saturating_sub(self.empty + self.paired + 1);
        parts.push(format!("{single} slots with one operation, where dependences, read ports or the order of memory accesses leave no partner"));
        format!("{} more than its bound ({name}, {bound}): {}", self.slots - bound, parts.join("; "))
    }
}

/// A loop before it is scheduled.
pub struct Marked {
    tag: u32,
    operations: u32,
    bounds: Bounds,
    span: Option<Span>,
}

/// Marks the innermost loops of one block.
pub fn mark<I: Isa>(code: &mut Code<I>, queues: Queues) -> Vec<Marked> {
    let mut out = Vec::new();
    for b in 0..code.blocks.len() {
        if !modulo::is_loop(&code.blocks[b], b) {
            continue;
        }
        let tag = out.len() as u32;
        code.blocks[b].tag = Some(tag);
        let latency = modulo::latency(code, queues, b).unwrap_or(0);
        let block = &code.blocks[b];
        let operations = block.insts.iter().filter(|i| i.probe().is_none()).count() as u32;
        let bounds = Bounds::of::<I>(&block.insts, latency);
        out.push(Marked { tag, operations, bounds, span: block.insts.iter().find_map(|i| i.span()).or(block.span) });
    }
    out
}

/// The reports of the marked loops, once there are slots.
pub fn finish<I: Isa>(
    marked: Vec<Marked>,
    outcomes: &[(u32, Outcome)],
    code: &Code<I>,
    slots: &[Vec<Slot<I>>],
) -> Vec<LoopReport> {
    let find = |tag: u32| (0..code.blocks.len()).find(|&b| code.blocks[b].tag == Some(tag));
    let report = |m: Marked| {
        let b: BlockId = find(m.tag)?;
        let outcome = outcomes.iter().find(|o| o.0 == m.tag).map(|o| o.1);
        let (stages, obstacle) = match outcome {
            Some(Outcome::Pipelined { stages }) => (stages, None),
            Some(Outcome::Left(why)) => (1, Some(why)),
            None => (1, Some("pipelining belongs to level 2")),
        };
        let count = |n: usize| slots[b].iter().filter(|s| operations(s) == Some(n)).count() as u32;
        Some(LoopReport {
            label: format!("L{b}"),
            first: slots[..b].iter().map(Vec::len).sum::<usize>() + skipped(&slots[b], b),
            slots: (slots[b].len() - skipped(&slots[b], b)) as u32,
            operations: m.operations,
            stages,
            empty: count(0),
            paired: count(2),
            bounds: m.bounds,
            obstacle,
            span: m.span,
        })
    };
    marked.into_iter().filter_map(report).collect()
}

/// Instructions at the start of a loop that later iterations skip, because they stand behind its branch, too.
fn skipped<I: Isa>(slots: &[Slot<I>], b: BlockId) -> usize {
    let back = |slot: &Slot<I>| match slot {
        Slot::Branch { to, skip, .. } if *to == b => Some(*skip),
        _ => None,
    };
    slots.iter().find_map(back).unwrap_or(0)
}

/// Operations in a slot; `None` for branches.
fn operations<I: Isa>(slot: &Slot<I>) -> Option<usize> {
    match slot {
        Slot::Op { bundle, .. } => Some(I::operations(bundle)),
        Slot::Branch { .. } => None,
    }
}
