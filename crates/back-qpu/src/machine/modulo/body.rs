//! The body of an innermost loop as operations on webs: a web is one value that lives in one register, with all the
//! writes that make it and all the reads that see it.

use crate::machine::live_physical::{Set, bit};
use crate::machine::schedule::deps;
use crate::vc4::minst::{Code, Dst, MInst, Oper, Reg, Rotate, Src};

/// A value of the loop.
#[derive(Clone, Debug)]
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
    /// Read by an operation that rotates across quads: only r0 to r3 will do.
    pub rotated: bool,
}

impl Web {
    /// The register that it lies in, if it keeps one.
    pub fn seat(&self) -> Option<Reg> {
        self.seat.or(self.home)
    }
}

/// The body of a loop.
#[derive(Clone, Debug)]
pub struct Body {
    /// Operations, whose virtual registers are numbers of webs.
    pub ops: Vec<MInst>,
    pub webs: Vec<Web>,
    /// Physical registers that hold something the loop does not touch.
    pub reserved: Set,
    /// The branch asks for the flags as the operations before this one leave them.
    pub branch_at: usize,
}

fn place(r: Reg) -> Option<usize> {
    match r {
        Reg::A(_) | Reg::B(_) | Reg::Acc(_) => Some(deps::resource(r)),
        _ => None,
    }
}

/// The body of the loop that is this one block, or `None` if the loop holds something that must stay where it is.
pub fn of(code: &Code, b: usize, needed: &[Set]) -> Option<Body> {
    let block = &code.blocks[b];
    let exit = block.term.targets().find(|t| *t != b)?;
    let (at_start, after) = (needed[b], needed[exit]);
    let special = bit(deps::R4) | bit(deps::R5);
    if at_start & special != 0 || after & (special | bit(deps::FLAGS)) != 0 {
        return None;
    }
    let movable = |i: &MInst| !matches!(i.op, Oper::Probe(_) | Oper::Sema(..)) && i.src[0] != Some(Src::Uniform);
    if !block.insts.iter().all(|i| movable(i) && !deps::is_synchronising(i)) {
        return None;
    }
    let mut builder = Builder { at_start, current: vec![None; 68], entry: vec![None; 68], webs: Vec::new() };
    let mut ops: Vec<MInst> = block.insts.iter().map(|i| builder.op(i)).collect();
    // What leaves the body in a register that the next iteration reads at its start is one web with what it reads.
    let mut same: Vec<usize> = (0..builder.webs.len()).collect();
    for r in 0..68 {
        if let (Some(first), Some(last)) = (builder.entry[r], builder.current[r]) {
            same[last] = first;
            builder.webs[first].invariant &= first == last;
        }
    }
    for inst in &mut ops {
        rename(inst, |w| same[w]);
    }
    for r in 0..68 {
        if let Some(last) = builder.current[r]
            && after & bit(r) != 0
        {
            builder.webs[same[last]].live_out = true;
        }
    }
    let touched = (0..68).filter(|r| builder.current[*r].is_some()).fold(0, |s, r| s | bit(r));
    let branch_at = ops.len();
    let mut body = Body { ops, webs: builder.webs, reserved: (at_start | after) & !touched, branch_at };
    mark_rotated(&mut body);
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
        self.webs.push(Web {
            home: Some(home),
            seat: None,
            live_in: live_in_reg,
            live_out: false,
            invariant: live_in,
            rotated: false,
        });
        self.webs.len() - 1
    }

    fn read(&mut self, r: Reg) -> Reg {
        let Some(p) = place(r) else { return r };
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

    fn op(&mut self, inst: &MInst) -> MInst {
        let mut out = *inst;
        let read = |s: Src, this: &mut Self| match s {
            Src::Reg(r) => Src::Reg(this.read(r)),
            Src::Part(r, part) => Src::Part(this.read(r), part),
            other => other,
        };
        out.src = out.src.map(|s| s.map(|s| read(s, self)));
        if let Dst::Reg(r) = &mut out.dst
            && let Some(p) = place(*r)
        {
            if inst.keeps_destination() {
                let web = self.read(*r);
                self.webs[web.virt().expect("a web") as usize].invariant = false;
                *r = web;
            } else {
                let web = self.new_web(*r, false);
                self.current[p] = Some(web);
                *r = Reg::Virt(web as u32);
            }
        }
        out
    }
}

/// Replaces numbers of webs.
pub fn rename(inst: &mut MInst, to: impl Fn(usize) -> usize) {
    inst.map_registers(|r| match r {
        Reg::Virt(w) => Reg::Virt(to(w as usize) as u32),
        other => other,
    });
}

fn mark_rotated(body: &mut Body) {
    for inst in &body.ops {
        if inst.rotate != Rotate::None {
            for w in inst.src.iter().flatten().filter_map(|s| s.reg()).filter_map(Reg::virt) {
                body.webs[w as usize].rotated = true;
            }
        }
    }
}

impl Body {
    /// Per web, whether it must lie in file A.
    pub fn in_a(&self) -> Vec<bool> {
        let mut out = vec![false; self.webs.len()];
        for s in self.ops.iter().flat_map(|i| i.src).flatten() {
            if let Src::Part(Reg::Virt(w), _) = s {
                out[w as usize] = true;
            }
        }
        out
    }

    /// Webs that are written in the loop and needed behind it.
    pub fn results(&self) -> Vec<usize> {
        (0..self.webs.len()).filter(|&w| self.webs[w].live_out && !self.webs[w].invariant).collect()
    }

    /// The same loop in which the operations work on a copy of web `w`, and a copy back at the end of each iteration makes
    /// the result: what is needed behind the loop then changes late, and the operations may run ahead of the branch.
    pub fn with_copy(&self, w: usize) -> Body {
        let mut body = self.clone();
        let copy = body.webs.len();
        let web = body.webs[w].clone();
        body.webs.push(Web {
            home: None,
            seat: None,
            live_in: web.live_in,
            live_out: false,
            invariant: false,
            rotated: web.rotated,
        });
        body.webs[w].live_in = None;
        body.webs[w].rotated = false;
        for inst in &mut body.ops {
            rename(inst, |x| if x == w { copy } else { x });
        }
        body.branch_at += usize::from(body.branch_at == body.ops.len());
        let span = body.ops.iter().rev().find(|i| i.def() == Some(Reg::Virt(copy as u32))).and_then(|i| i.span);
        body.ops.push(MInst { span, ..MInst::mov(Reg::Virt(w as u32), Reg::Virt(copy as u32)) });
        body
    }
}
