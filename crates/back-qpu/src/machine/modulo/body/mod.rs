//! The body of an innermost loop as operations on webs: a web is one value that lives in one register, with all the
//! writes that make it and all the reads that see it.

use crate::machine::code::Code;
use crate::machine::isa::{Instruction, Isa};
use crate::machine::live_physical::state;
use crate::machine::registers::{self, Bank, Reg, Set, allocatable, bit, flags};
use quadra_base::Span;

/// A value of the loop.
#[derive(Clone, Debug, Default)]
pub struct Web {
    /// The register it was given; none for what only the pipelined loop has.
    pub home: Option<Reg>,
    /// Another register that it is copied to before the loop and lies in there.
    pub seat: Option<Reg>,
    /// Comes from before the loop, in `home` (or, for a copy, in the home of the web that it follows).
    pub live_in: Option<Reg>,
    /// Is needed behind the loop, in `home`.
    pub live_out: bool,
    /// Not written in the loop.
    pub invariant: bool,
    /// Read by an operation that only reads quick registers.
    pub quick: bool,
}

impl Web {
    /// The register that it lies in, if it keeps one.
    pub fn seat(&self) -> Option<Reg> {
        self.seat.or(self.home)
    }
}

/// The body of a loop.
#[derive(Clone, Debug)]
pub struct Body<I: Isa> {
    /// Operations, whose virtual registers are numbers of webs.
    pub ops: Vec<I::Inst>,
    pub webs: Vec<Web>,
    /// Physical registers that hold something the loop does not touch.
    pub reserved: Set,
    /// The branch asks for the flags as the operations before this one leave them.
    pub branch_at: usize,
}

/// The body of the loop that is this one block, or `None` if the loop holds something that must stay where it is.
pub fn of<I: Isa>(code: &Code<I>, b: usize, needed: &[Set]) -> Option<Body<I>> {
    let block = &code.blocks[b];
    let exit = block.term.targets().find(|t| *t != b)?;
    let (at_start, after) = (needed[b], needed[exit]);
    let n = allocatable::<I>();
    let special = (n..flags::<I>()).fold(0, |set, r| set | bit(r));
    if at_start & special != 0 || after & (special | bit(flags::<I>())) != 0 {
        return None;
    }
    if !block.insts.iter().all(|i| i.may_overlap() && i.probe().is_none()) {
        return None;
    }
    let mut builder = Builder { at_start, current: vec![None; n], entry: vec![None; n], webs: Vec::new() };
    let mut ops: Vec<I::Inst> = block.insts.iter().map(|i| builder.op::<I>(i)).collect();
    // What leaves the body in a register that the next iteration reads at its start is one web with what it reads.
    let mut same: Vec<usize> = (0..builder.webs.len()).collect();
    for r in 0..n {
        if let (Some(first), Some(last)) = (builder.entry[r], builder.current[r]) {
            same[last] = first;
            builder.webs[first].invariant &= first == last;
        }
    }
    for inst in &mut ops {
        rename(inst, |w| same[w]);
    }
    for r in 0..n {
        if let Some(last) = builder.current[r]
            && after & bit(r) != 0
        {
            builder.webs[same[last]].live_out = true;
        }
    }
    let touched = (0..n).filter(|r| builder.current[*r].is_some()).fold(0, |s, r| s | bit(r));
    let branch_at = ops.len();
    let mut body = Body { ops, webs: builder.webs, reserved: (at_start | after) & !touched, branch_at };
    mark_quick(&mut body);
    Some(body)
}

struct Builder {
    at_start: Set,
    /// The web that each register holds at this point.
    current: Vec<Option<usize>>,
    /// The web that it holds at the start, if that is read.
    entry: Vec<Option<usize>>,
    webs: Vec<Web>,
}

impl Builder {
    fn new_web(&mut self, home: Reg, live_in: bool) -> usize {
        let live_in_reg = live_in.then_some(home);
        self.webs.push(Web { home: Some(home), live_in: live_in_reg, invariant: live_in, ..Web::default() });
        self.webs.len() - 1
    }

    fn read<I: Isa>(&mut self, r: Reg) -> Reg {
        let Some(p) = registers::place::<I>(r) else { return r };
        let web = match self.current[p] {
            Some(w) => w,
            None => {
                let w = self.new_web(r, self.at_start & bit(p) != 0);
                (self.current[p], self.entry[p]) = (Some(w), Some(w));
                w
            }
        };
        Reg::Virt(web as u32)
    }

    fn op<I: Isa>(&mut self, inst: &I::Inst) -> I::Inst {
        let mut out = *inst;
        let written = inst.def().and_then(|r| Some((r, registers::place::<I>(r)?)));
        out.map_reads(|r| self.read::<I>(r));
        if let Some((r, p)) = written {
            if inst.keeps_destination() {
                let web = self.read::<I>(r);
                self.webs[web.virt().expect("a web") as usize].invariant = false;
                out.set_def(web);
            } else {
                let web = self.new_web(r, false);
                self.current[p] = Some(web);
                out.set_def(Reg::Virt(web as u32));
            }
        }
        out
    }
}

/// The registers that hold a web which keeps its register: where it lies in the loop, and where others look for it behind it.
pub fn kept(web: &Web) -> Set {
    let home = web.home.filter(|_| web.seat.is_none() || web.live_out);
    [home, web.seat].into_iter().flatten().filter_map(state).fold(0, |set, r| set | bit(r))
}

/// Whether a web keeps the register that it was given: one that comes from before the loop, is needed behind it, or carries
/// from one iteration to the next.
pub fn is_fixed(web: &Web) -> bool {
    web.invariant || web.live_out || web.live_in.is_some()
}

/// Replaces numbers of webs.
pub fn rename(inst: &mut impl Instruction, to: impl Fn(usize) -> usize) {
    inst.map_registers(|r| match r {
        Reg::Virt(w) => Reg::Virt(to(w as usize) as u32),
        other => other,
    });
}

/// The webs that operands bound to this bank read.
fn bound<I: Isa>(inst: &I::Inst, bank: Bank) -> impl Iterator<Item = usize> {
    let operands = inst.operands().into_iter().enumerate();
    let inside = operands.filter(move |(k, _)| inst.bank(*k) == Some(bank));
    inside.filter_map(|(_, operand)| Some(operand?.reg()?.virt()? as usize))
}

fn mark_quick<I: Isa>(body: &mut Body<I>) {
    for inst in &body.ops {
        for w in bound::<I>(inst, Bank::Quick) {
            body.webs[w].quick = true;
        }
    }
}

impl<I: Isa> Body<I> {
    /// Per web, whether it must lie in the first file.
    pub fn in_first(&self) -> Vec<bool> {
        let mut out = vec![false; self.webs.len()];
        for inst in &self.ops {
            bound::<I>(inst, Bank::File(0)).for_each(|w| out[w] = true);
        }
        out
    }

    /// Webs that are written in the loop and needed behind it.
    pub fn results(&self) -> Vec<usize> {
        (0..self.webs.len()).filter(|&w| self.webs[w].live_out && !self.webs[w].invariant).collect()
    }

    /// The same loop in which the operations work on a copy of web `w`, and a copy back at the end of each iteration makes
    /// the result: what is needed behind the loop then changes late, and the operations may run ahead of the branch.
    pub fn with_copy(&self, w: usize) -> Body<I> {
        let mut body = self.clone();
        let copy = body.webs.len();
        let web = body.webs[w].clone();
        body.webs.push(Web { live_in: web.live_in, quick: web.quick, ..Web::default() });
        body.webs[w].live_in = None;
        body.webs[w].quick = false;
        for inst in &mut body.ops {
            rename(inst, |x| if x == w { copy } else { x });
        }
        body.branch_at += usize::from(body.branch_at == body.ops.len());
        let span = body.ops.iter().rev().find(|i| i.def() == Some(Reg::Virt(copy as u32))).and_then(|i| i.span());
        body.ops.push(copy_at::<I>(Reg::Virt(w as u32), Reg::Virt(copy as u32), span));
        body
    }
}

/// A copy with a place in the source.
pub fn copy_at<I: Isa>(dst: Reg, src: Reg, span: Option<Span>) -> I::Inst {
    let mut copy = I::Inst::copy(dst, src);
    copy.set_span(span);
    copy
}
