//! A kernel as linear code, so that a worker can stop at any instruction and go on later.
//!
//! Structure becomes positions: `if` knows where its second region and its end lie, a loop where its body and its end lie.
//! Values become slots of 16 lanes.

use super::OpCount;
use crate::kernel::{Block, Def, Inst, Kernel, Level, Param, Value};
use crate::launch::{Arg, Launch};
use crate::ops::Op;
use crate::types::{Elem, LANES};
use crate::variance::Variance;

/// The 16 lanes of one element.
pub(super) type Lanes = [u64; LANES as usize];

/// A value's place among the registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub at: u32,
    /// The live lanes share the value; all lanes then hold it.
    pub uniform: bool,
    pub elem: Elem,
}

/// What a step does besides what its instruction says.
#[derive(Clone, Copy, Debug)]
pub(super) enum Act {
    /// Anything without regions.
    Plain,
    /// Begins an `if`; `other` is the second region, `end` what follows.
    If {
        other: usize,
        end: usize,
    },
    /// A `yield` at the end of one side of an `if`.
    ArmEnd,
    /// Begins a loop: the initial carried values are in `args`, the parameters in `results`.
    LoopBegin {
        end: usize,
    },
    /// The test at the head of a counted loop: `args` are iv, hi, step and the carried values.
    ForHead,
    /// Next iteration of the innermost loop: `results` are its parameters.
    Again,
    /// Leaves the innermost loop: `results` are its results.
    Leave,
    Return,
}

pub(super) struct Step<'k> {
    pub act: Act,
    pub inst: &'k Inst,
    pub args: Vec<Slot>,
    pub results: Vec<Slot>,
    pub mask: Option<Slot>,
}

pub(super) struct Code<'k> {
    pub kernel: &'k Kernel,
    pub steps: Vec<Step<'k>>,
    /// Registers at the start of a subgroup: constants and parameters, everything else 0.
    pub registers: Vec<Lanes>,
    pub vars: Vec<Slot>,
}

impl Code<'_> {
    /// What the executions of the steps say about operations; moves at the ends of regions count for nothing.
    pub(super) fn counts(&self, executions: &[u64]) -> Vec<OpCount> {
        let count = |(step, &executions): (&Step<'_>, &u64)| {
            let op = match step.act {
                Act::LoopBegin { .. } | Act::ArmEnd => return None,
                Act::Again => Op::Continue,
                _ => step.inst.op,
            };
            let slot = step.results.first().or(step.args.last());
            let elem = slot.map_or(Elem::Bool, |s| s.elem);
            Some(OpCount { op, elem, args: step.args.len() as u32, buf: step.inst.buf, executions })
        };
        self.steps.iter().zip(executions).filter_map(count).collect()
    }
}

struct Loop {
    /// Carried values, without the counter of a counted loop.
    params: Vec<Slot>,
    results: Vec<Slot>,
}

struct Flattener<'k> {
    code: Code<'k>,
    slots: Vec<Slot>,
    loops: Vec<Loop>,
}

/// The linear code of a kernel for one launch, whose arguments have been checked.
pub(super) fn flatten<'k>(kernel: &'k Kernel, launch: &Launch) -> Code<'k> {
    let variance = (kernel.level == Level::Simt).then(|| Variance::of(kernel));
    let mut registers: Vec<Lanes> = Vec::new();
    let mut slot = |elem: Elem, uniform: bool| {
        let at = registers.len() as u32;
        registers.push([0; LANES as usize]);
        Slot { at, uniform, elem }
    };
    let slots: Vec<Slot> = kernel
        .values
        .iter()
        .map(|(v, info)| {
            let uniform = variance.as_ref().map_or(!info.ty.lanes, |variance| variance.is_uniform(v));
            slot(info.ty.elem, uniform)
        })
        .collect();
    let vars = kernel.vars.iter().map(|(_, info)| slot(info.ty.elem, false)).collect();
    for (v, info) in kernel.values.iter() {
        if let Def::Const(c) = info.def {
            registers[slots[v.index()].at as usize] = [c.bits; LANES as usize];
        }
    }
    for (&param, &arg) in kernel.params.iter().zip(&launch.args) {
        if let (Param::Scalar(v), Arg::Scalar(c)) = (param, arg) {
            registers[slots[v.index()].at as usize] = [c.bits; LANES as usize];
        }
    }
    let code = Code { kernel, steps: Vec::new(), registers, vars };
    let mut flattener = Flattener { code, slots, loops: Vec::new() };
    flattener.block(&kernel.body, None);
    flattener.code
}

impl<'k> Flattener<'k> {
    fn slots(&self, values: &[Value]) -> Vec<Slot> {
        values.iter().map(|v| self.slots[v.index()]).collect()
    }

    fn push(&mut self, act: Act, inst: &'k Inst, args: Vec<Slot>, results: Vec<Slot>) -> usize {
        let mask = inst.mask.map(|m| self.slots[m.index()]);
        self.code.steps.push(Step { act, inst, args, results, mask });
        self.code.steps.len() - 1
    }

    fn here(&self) -> usize {
        self.code.steps.len()
    }

    /// `owner` is the instruction whose region this is.
    fn block(&mut self, block: &'k Block, owner: Option<&'k Inst>) {
        for inst in &block.insts {
            let args = self.slots(&inst.args);
            let results = self.slots(&inst.results);
            match inst.op {
                Op::If => self.branch(inst, args),
                Op::For | Op::Loop => self.repeat(inst, args, results),
                Op::Yield => {
                    let Some(owner) = owner else { continue };
                    match owner.op {
                        Op::If => self.push(Act::ArmEnd, inst, args, self.slots(&owner.results)),
                        _ => self.again(inst, args),
                    };
                }
                Op::Continue => {
                    self.again(inst, args);
                }
                Op::Break => {
                    let results = self.loops.last().map_or(Vec::new(), |l| l.results.clone());
                    self.push(Act::Leave, inst, args, results);
                }
                Op::Return => {
                    self.push(Act::Return, inst, args, results);
                }
                _ => {
                    self.push(Act::Plain, inst, args, results);
                }
            }
        }
    }

    fn again(&mut self, inst: &'k Inst, args: Vec<Slot>) -> usize {
        let Some(innermost) = self.loops.last() else { return self.here() };
        let results = innermost.params.clone();
        self.push(Act::Again, inst, args, results)
    }

    fn branch(&mut self, inst: &'k Inst, args: Vec<Slot>) {
        let begin = self.push(Act::If { other: 0, end: 0 }, inst, args, Vec::new());
        self.block(&inst.regions[0], Some(inst));
        let other = self.here();
        self.block(&inst.regions[1], Some(inst));
        self.code.steps[begin].act = Act::If { other, end: self.here() };
    }

    fn repeat(&mut self, inst: &'k Inst, args: Vec<Slot>, results: Vec<Slot>) {
        let body = &inst.regions[0];
        let params = self.slots(&body.params);
        if inst.op == Op::Loop {
            let begin = self.push(Act::LoopBegin { end: 0 }, inst, args, params.clone());
            self.loops.push(Loop { params, results });
            self.block(body, Some(inst));
            self.code.steps[begin].act = Act::LoopBegin { end: self.here() };
        } else {
            let (iv, carried) = (params[0], params[1..].to_vec());
            let inits = [&args[..1], &args[3..]].concat();
            let begin = self.push(Act::LoopBegin { end: 0 }, inst, inits, params);
            let head = [&[iv, args[1], args[2]], &carried[..]].concat();
            self.push(Act::ForHead, inst, head, results.clone());
            self.loops.push(Loop { params: carried, results });
            self.block(body, Some(inst));
            self.code.steps[begin].act = Act::LoopBegin { end: self.here() };
        }
        self.loops.pop();
    }
}
