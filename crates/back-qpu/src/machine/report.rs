//! What a program's loops cost and why, and why instructions are empty.

use crate::machine::modulo::{self, Outcome};
use crate::machine::schedule::{DELAY_SLOTS, Slot, deps};
use crate::vc4::emit;
use crate::vc4::minst::{BlockId, Code, MInst, Oper, Rotate};
use quadra_base::Span;
use quadra_isa::vc4::{AddOp, Inst, MulOp, Program, Signal};

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

/// The least slots per iteration that each resource allows; the branch has a slot of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds {
    /// Operations that only the add ALU can do.
    pub add: u32,
    /// Operations that only the mul ALU can do.
    pub mul: u32,
    /// All operations, two per slot.
    pub both: u32,
    /// Requests and results of the TMUs.
    pub tmu: u32,
    /// Accesses to VPM and DMA, and results of the TMUs, which cannot share a slot with them.
    pub memory: u32,
    /// The longest chain from one iteration to the next.
    pub latency: u32,
    /// A branch and its three delay slots.
    pub branch: u32,
}

impl Bounds {
    fn of(insts: &[MInst]) -> Bounds {
        let count = |f: &dyn Fn(&MInst) -> bool| insts.iter().filter(|i| f(i)).count() as u32;
        let add = count(&|i| matches!(i.op, Oper::Add(_)));
        let mul = count(&|i| matches!(i.op, Oper::Mul(_)) || i.rotate != Rotate::None);
        let either = count(&|i| i.op == Oper::Mov && i.rotate == Rotate::None);
        let alone = count(&|i| matches!(i.op, Oper::Ldi(_) | Oper::Sema(..)));
        let results = count(&|i| matches!(i.op, Oper::Signal(Signal::LoadTmu0 | Signal::LoadTmu1)));
        let requests = count(&|i| deps::is_request(i, 0) || deps::is_request(i, 1));
        Bounds {
            add: add + alone + 1,
            mul: mul + alone + 1,
            both: (add + mul + either).div_ceil(2) + alone + 1,
            tmu: requests + results + 1,
            memory: count(&deps::touches_vpm) + results + 1,
            latency: 0,
            branch: 1 + DELAY_SLOTS as u32,
        }
    }

    /// Each bound with its name.
    pub fn all(&self) -> [(&'static str, u32); 7] {
        [
            ("add ALU", self.add),
            ("mul ALU", self.mul),
            ("both ALUs", self.both),
            ("TMU", self.tmu),
            ("VPM/DMA", self.memory),
            ("latency", self.latency),
            ("branch", self.branch),
        ]
    }

    /// The bound that binds: the largest.
    pub fn binding(&self) -> (&'static str, u32) {
        self.all().into_iter().rev().max_by_key(|b| b.1).expect("there are seven")
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
pub fn mark(code: &mut Code, queues: [deps::Queue; 2]) -> Vec<Marked> {
    let mut out = Vec::new();
    for b in 0..code.blocks.len() {
        if !modulo::is_loop(&code.blocks[b], b) {
            continue;
        }
        let tag = out.len() as u32;
        code.blocks[b].tag = Some(tag);
        let latency = modulo::latency(code, queues, b).unwrap_or(0);
        let block = &code.blocks[b];
        let operations = block.insts.iter().filter(|i| !matches!(i.op, Oper::Probe(_))).count() as u32;
        let bounds = Bounds { latency, ..Bounds::of(&block.insts) };
        out.push(Marked { tag, operations, bounds, span: block.insts.iter().find_map(|i| i.span).or(block.span) });
    }
    out
}

/// The reports of the marked loops, once there are slots.
pub fn finish(marked: Vec<Marked>, outcomes: &[(u32, Outcome)], code: &Code, slots: &[Vec<Slot>]) -> Vec<LoopReport> {
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
fn skipped(slots: &[Slot], b: BlockId) -> usize {
    let back = |slot: &Slot| match slot {
        Slot::Branch { to, skip, .. } if *to == b => Some(*skip),
        _ => None,
    };
    slots.iter().find_map(back).unwrap_or(0)
}

/// Operations of the two ALUs in a slot, a signal alone counted as one; `None` for branches.
fn operations(slot: &Slot) -> Option<usize> {
    let Slot::Op { inst, .. } = slot else { return None };
    Some(match inst {
        Inst::Alu(a) => {
            let alus = usize::from(a.op_add != AddOp::Nop) + usize::from(a.op_mul != MulOp::Nop);
            if alus == 0 { usize::from(*inst != Inst::NOP) } else { alus }
        }
        _ => 1,
    })
}

/// The empty instructions of a program and why each is.
pub fn empty_slots(program: &Program) -> Vec<(usize, &'static str)> {
    let insts = &program.insts;
    let is_end = |i: &Inst| matches!(i, Inst::Alu(a) if a.sig == Signal::ProgramEnd);
    (0..insts.len())
        .filter(|&at| insts[at] == Inst::NOP)
        .map(|at| {
            let before = |n: usize| &insts[at.saturating_sub(n)..at];
            let reason = if before(2).iter().any(is_end) {
                "the program ends two instructions later"
            } else if before(DELAY_SLOTS).iter().any(|i| matches!(i, Inst::Branch(_))) {
                "delay slot of the branch, and nothing that may run there"
            } else {
                waiting(insts, at)
            };
            (at, reason)
        })
        .collect()
}

/// What the empty instruction `at` waits for.
fn waiting(insts: &[Inst], at: usize) -> &'static str {
    let mut longest = 1;
    for (i, last) in insts[..at].iter().rev().take(3).enumerate() {
        for (j, next) in insts[at + 1..].iter().take(3).enumerate() {
            let needed = emit::apart(last, next);
            if needed > i + 1 + j {
                longest = longest.max(needed);
            }
        }
    }
    match longest {
        2 => "a register is read two instructions after it is written",
        3 => "the special function unit needs three instructions",
        4 => "the VPM needs three instructions from setup to read",
        _ => "what follows is not ready, or others must see it in this order",
    }
}
