//! How much a value differs between the items of a launch, and where control flow does.
//!
//! [`Variance::of`] computes for every value the widest set of items that surely share it, and for every value whether it
//! is **full**: whether each of the 16 lanes holds a meaningful value, live or not, so that `rotate` and `broadcast` may
//! read it (see the crate documentation). It holds for both levels, and for kernels that still have variables.
//!
//! The rules for loops: a value carried round a loop stays uniform while all its live lanes go round together. It does not
//! if lanes reach different `continue`s, or in a counted loop that lanes leave at different times. What a loop gives
//! differs between lanes as soon as they may leave it at different times.

mod solve;

use crate::kernel::{Block, Inst, Kernel, Value};
use crate::ops::Op;

/// The widest set of items that share a value; each level includes the ones before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Vary {
    /// The same in the whole launch.
    #[default]
    Grid,
    /// The same for all items of a group (and for all lanes of a worker).
    Group,
    /// The same for the live lanes of a subgroup.
    Subgroup,
    /// May differ from lane to lane.
    Lane,
}

/// Control flow at a point: over which items it may differ, and the condition responsible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    pub varies: Vary,
    /// The value branched on, or the bound of a counted loop.
    pub cause: Option<Value>,
}

impl Control {
    const TOGETHER: Control = Control { varies: Vary::Grid, cause: None };

    fn join(self, other: Control) -> Control {
        if other.varies > self.varies { other } else { self }
    }

    /// Whether lanes of one subgroup may be apart here.
    pub fn diverges(self) -> bool {
        self.varies == Vary::Lane
    }
}

/// How lanes leave and go round one loop.
#[derive(Clone, Copy, Debug)]
struct LoopControl {
    /// Leaving by `break`, or by the end of a counted loop.
    leave: Control,
    /// Going round by different `continue`s.
    again: Control,
    /// Leaving by `return`.
    leave_kernel: Control,
    /// `continue`s in the body.
    continues: u32,
}

/// What [`Variance::of`] finds out. Instructions are numbered as [`Block::walk`] visits them.
#[derive(Clone, Debug)]
pub struct Variance {
    values: Vec<Vary>,
    why: Vec<Option<Value>>,
    blame: Vec<Option<Value>>,
    full: Vec<bool>,
    vars: Vec<Vary>,
    loops: Vec<Option<LoopControl>>,
    control: Vec<Control>,
    /// Control right behind the instruction, where lanes may have left from within its regions.
    after: Vec<Control>,
}

impl Variance {
    /// Analyses a kernel, which need not have passed the checker, but whose ids must exist.
    pub fn of(kernel: &Kernel) -> Variance {
        solve::variance(kernel)
    }

    /// Over which items the value may differ.
    pub fn level(&self, v: Value) -> Vary {
        self.values[v.index()]
    }

    /// Whether the value may differ from lane to lane.
    pub fn is_lane(&self, v: Value) -> bool {
        self.values[v.index()] == Vary::Lane
    }

    /// Whether the live lanes of a subgroup share the value.
    pub fn is_uniform(&self, v: Value) -> bool {
        self.values[v.index()] < Vary::Lane
    }

    /// Whether every lane holds a meaningful value, live or not.
    pub fn is_full(&self, v: Value) -> bool {
        self.full[v.index()]
    }

    /// The condition that makes `v` differ, where it is control flow that does.
    pub fn blame(&self, v: Value) -> Option<Value> {
        self.blame[v.index()]
    }

    /// Whether lanes may leave the loop `inst` (`for` or `loop`), or skip the rest of an iteration, at different times.
    pub fn is_divergent_loop(&self, inst: &Inst) -> bool {
        let found = inst.regions.first().map_or(Leaving::default(), |body| self.leaving(body));
        let bounds = if inst.op == Op::For { inst.args.get(..3).unwrap_or_default() } else { &[] };
        found.own_apart || found.kernel_apart || bounds.iter().any(|&v| self.is_lane(v))
    }

    fn leaving(&self, block: &Block) -> Leaving {
        let mut out = Leaving::default();
        for inst in &block.insts {
            match inst.op {
                Op::Break | Op::Continue => out.own = true,
                Op::Return => out.kernel = true,
                Op::If => {
                    let apart = inst.args.first().is_some_and(|&c| self.is_lane(c));
                    for found in inst.regions.iter().map(|r| self.leaving(r)) {
                        out.own |= found.own;
                        out.own_apart |= found.own_apart || (apart && found.own);
                        out.kernel |= found.kernel;
                        out.kernel_apart |= found.kernel_apart || (apart && found.kernel);
                    }
                }
                Op::For | Op::Loop => {
                    let Some(found) = inst.regions.first().map(|r| self.leaving(r)) else { continue };
                    let bounds = if inst.op == Op::For { inst.args.get(..3).unwrap_or_default() } else { &[] };
                    let apart = found.own_apart || bounds.iter().any(|&v| self.is_lane(v));
                    out.kernel |= found.kernel;
                    out.kernel_apart |= found.kernel_apart || (apart && found.kernel);
                }
                _ => {}
            }
        }
        out
    }

    /// Control flow at the instruction with this number.
    pub fn control(&self, number: usize) -> Control {
        self.control[number]
    }

    /// Whether all items that differ in nothing more than `most` come to the instruction with this number, and, if it is a loop,
    /// leave it together.
    pub fn in_step(&self, number: usize, most: Vary) -> bool {
        let leaves = self.loops[number].map_or(Control::TOGETHER, |l| l.leave.join(l.leave_kernel));
        self.control[number].join(leaves).varies <= most
    }

    /// The value from which `v` has its variance: `v` itself, or an operand of an operand of it.
    pub fn origin(&self, v: Value) -> Value {
        let mut at = v;
        // `why` points to a value that reached its level earlier, so the chain has no cycle; the bound is for safety.
        for _ in 0..self.why.len() {
            match self.why[at.index()] {
                Some(next) if self.values[next.index()] == self.values[at.index()] => at = next,
                _ => break,
            }
        }
        at
    }
}

/// What leaves a block: for the innermost loop's exit or next iteration (`own`), or the kernel; `apart` where only some of
/// the lanes may that entered the block.
#[derive(Clone, Copy, Default)]
struct Leaving {
    own: bool,
    own_apart: bool,
    kernel: bool,
    kernel_apart: bool,
}
