//! The fixed point behind [`Variance::of`](super::Variance::of).

use super::{Control, LoopControl, Variance, Vary};
use crate::kernel::{Block, Inst, Kernel, Space, Value};
use crate::ops::{Effect, Op};
use crate::types::LANES;
use std::collections::HashSet;

/// See [`Variance::of`](super::Variance::of).
pub(super) fn variance(kernel: &Kernel) -> Variance {
    let count = kernel.body.count();
    let mut solver = Solver {
        kernel,
        written: written(kernel),
        at: 0,
        changed: true,
        loops: Vec::new(),
        out: Variance {
            values: vec![Vary::Grid; kernel.values.len()],
            why: vec![None; kernel.values.len()],
            blame: vec![None; kernel.values.len()],
            full: vec![true; kernel.values.len()],
            vars: vec![Vary::Grid; kernel.vars.len()],
            loops: vec![None; count],
            control: vec![Control::TOGETHER; count],
            after: vec![Control::TOGETHER; count],
        },
    };
    // Every round but the last raises a value or a loop's control by a level, so this ends.
    while solver.changed {
        (solver.changed, solver.at) = (false, 0);
        solver.block(&kernel.body, Control::TOGETHER);
        solver.at = 0;
        solver.place(&kernel.body, Control::TOGETHER);
    }
    solver.at = 0;
    let apart: HashSet<usize> = solver.variables_set_apart();
    solver.at = 0;
    solver.fill(&kernel.body, &apart);
    solver.out
}

/// Buffers that the kernel itself writes: what is read from them may change while it runs.
fn written(kernel: &Kernel) -> HashSet<usize> {
    let mut out = HashSet::new();
    kernel.body.walk(&mut |inst| {
        if let (Effect::Write | Effect::ReadWrite, Some(buf)) = (inst.op.info().effect, inst.buf) {
            out.insert(buf.index());
        }
    });
    out
}

struct Open<'k> {
    inst: &'k Inst,
    number: usize,
    /// Control since the loop's entry; the innermost loop's is passed along instead.
    outside: Control,
}

struct Solver<'k> {
    kernel: &'k Kernel,
    written: HashSet<usize>,
    at: usize,
    changed: bool,
    loops: Vec<Open<'k>>,
    out: Variance,
}

impl<'k> Solver<'k> {
    fn raise(&mut self, v: Value, to: Vary, why: Option<Value>, blame: Option<Value>) {
        let slot = &mut self.out.values[v.index()];
        if to > *slot {
            *slot = to;
            self.out.why[v.index()] = why.filter(|&w| w != v);
            self.out.blame[v.index()] = blame;
            self.changed = true;
        }
    }

    fn raise_by(&mut self, v: Value, from: Value) {
        self.raise(v, self.out.values[from.index()], Some(from), self.out.blame[from.index()]);
    }

    fn raise_under(&mut self, v: Value, control: Control) {
        self.raise(v, control.varies, control.cause, control.cause);
    }

    fn raise_control(&mut self, number: usize, pick: impl Fn(&mut LoopControl) -> &mut Control, to: Control) {
        if let Some(info) = &mut self.out.loops[number] {
            let slot = pick(info);
            if to.varies > slot.varies {
                *slot = to;
                self.changed = true;
            }
        }
    }

    fn condition(&self, v: Value) -> Control {
        Control { varies: self.out.values[v.index()], cause: Some(v) }
    }

    /// Values of one block. `since` is the control flow since the entry of the innermost loop. Gives the control under
    /// which lanes left the block for the loop's next iteration.
    fn block(&mut self, block: &'k Block, mut since: Control) -> Control {
        let mut gone = Control::TOGETHER;
        for inst in &block.insts {
            let number = self.at;
            self.at += 1;
            match inst.op {
                Op::If => {
                    let left = self.branch(inst, since);
                    gone = gone.join(left);
                    since = since.join(left);
                }
                Op::For | Op::Loop => self.loop_body(inst, number, since),
                Op::Break | Op::Continue | Op::Return => gone = gone.join(self.exit(inst, since)),
                Op::Yield => {}
                Op::VarSet => self.set(inst, number),
                _ => self.plain(inst),
            }
        }
        gone
    }

    fn branch(&mut self, inst: &'k Inst, since: Control) -> Control {
        let Some(&condition) = inst.args.first() else { return Control::TOGETHER };
        let inside = since.join(self.condition(condition));
        let mut left = Control::TOGETHER;
        for region in &inst.regions {
            left = left.join(self.block(region, inside));
        }
        let yields: Vec<&Inst> =
            inst.regions.iter().filter_map(Block::terminator).filter(|t| t.op == Op::Yield).collect();
        for (j, &result) in inst.results.iter().enumerate() {
            let given: Vec<Value> = yields.iter().filter_map(|y| y.args.get(j).copied()).collect();
            for &v in &given {
                self.raise_by(result, v);
            }
            if given.windows(2).any(|w| w[0] != w[1]) {
                self.raise_under(result, self.condition(condition));
            }
        }
        left
    }

    fn loop_body(&mut self, inst: &'k Inst, number: usize, since: Control) {
        let Some(body) = inst.regions.first() else { return };
        if self.out.loops[number].is_none() {
            let together = Control::TOGETHER;
            let continues = body.exits(Op::Continue) as u32;
            self.out.loops[number] =
                Some(LoopControl { leave: together, again: together, leave_kernel: together, continues });
        }
        let counted = inst.op == Op::For && inst.args.len() >= 3 && !body.params.is_empty();
        let (iv, carried) = if counted { body.params.split_at(1) } else { (&[][..], &body.params[..]) };
        if counted {
            for (i, &bound) in inst.args[..3].iter().enumerate() {
                self.raise_control(number, |l| &mut l.leave, self.condition(bound));
                if i != 1 {
                    self.raise_by(iv[0], bound);
                }
            }
        }
        let inits = if counted { &inst.args[3..] } else { &inst.args[..] };
        carried.iter().zip(inits).for_each(|(&p, &v)| self.raise_by(p, v));
        self.loops.push(Open { inst, number, outside: since });
        self.block(body, Control::TOGETHER);
        self.loops.pop();
        if let Some(end) = body.terminator().filter(|t| counted && t.op == Op::Yield) {
            carried.iter().zip(&end.args).for_each(|(&p, &v)| self.raise_by(p, v));
        }
        let Some(info) = self.out.loops[number] else { return };
        let leave = if counted || info.continues > 1 { info.leave } else { Control::TOGETHER };
        for &p in carried {
            self.raise_under(p, info.again);
            self.raise_under(p, leave);
        }
        if counted {
            inst.results.iter().zip(carried).for_each(|(&r, &p)| self.raise_by(r, p));
        }
        for &result in &inst.results {
            self.raise_under(result, info.leave);
        }
    }

    /// A `break`, `continue` or `return`. Gives the control under which lanes went on to the next iteration.
    fn exit(&mut self, inst: &'k Inst, since: Control) -> Control {
        if inst.op == Op::Return {
            let mut acc = since;
            for i in (0..self.loops.len()).rev() {
                let number = self.loops[i].number;
                if let Some(info) = self.out.loops[number] {
                    acc = acc.join(info.leave).join(info.again);
                }
                self.raise_control(number, |l| &mut l.leave_kernel, acc);
                acc = acc.join(self.loops[i].outside);
            }
            return Control::TOGETHER;
        }
        let Some(open) = self.loops.last() else { return Control::TOGETHER };
        let (target, number) = (open.inst, open.number);
        let targets: &[Value] = match inst.op {
            Op::Break => &target.results,
            _ if target.op == Op::For => target.regions[0].params.get(1..).unwrap_or_default(),
            _ => &target.regions[0].params,
        };
        targets.iter().zip(&inst.args).for_each(|(&to, &from)| self.raise_by(to, from));
        if inst.op == Op::Break {
            self.raise_control(number, |l| &mut l.leave, since);
            return Control::TOGETHER;
        }
        self.raise_control(number, |l| &mut l.again, since);
        since
    }

    fn set(&mut self, inst: &Inst, number: usize) {
        let (Some(var), Some(&value)) = (inst.var, inst.args.first()) else { return };
        // Lanes that are apart when they set a variable need not set it equally often.
        let to = self.out.values[value.index()].max(self.out.control[number].varies);
        if to > self.out.vars[var.index()] {
            self.out.vars[var.index()] = to;
            self.changed = true;
        }
    }

    fn plain(&mut self, inst: &Inst) {
        let own = self.own(inst);
        for &result in &inst.results {
            self.raise(result, own, None, None);
            if self.kernel.values[result].ty.lanes {
                self.raise(result, Vary::Lane, None, None);
            }
            let shared = matches!(inst.op, Op::VoteAny | Op::VoteAll | Op::Broadcast);
            for v in inst.uses() {
                let from = self.out.values[v.index()];
                let to = if shared { from.min(Vary::Subgroup) } else { from };
                self.raise(result, to, Some(v), self.out.blame[v.index()]);
            }
        }
    }

    /// The variance that an instruction has besides that of its operands.
    fn own(&self, inst: &Inst) -> Vary {
        match inst.op {
            Op::Lane | Op::LaneActive | Op::Rotate | Op::TmuReceive | Op::LoadRow => Vary::Lane,
            Op::Item | Op::Local => position(self.kernel, inst.imm),
            Op::Group | Op::Worker => Vary::Group,
            Op::VoteAny | Op::VoteAll | Op::Broadcast => Vary::Subgroup,
            Op::VarGet => inst.var.map_or(Vary::Lane, |v| self.out.vars[v.index()]),
            Op::Load => match inst.buf {
                Some(b) if self.written.contains(&b.index()) => Vary::Subgroup,
                Some(b) if self.kernel.bufs[b].space == Space::Shared => Vary::Group,
                _ => Vary::Grid,
            },
            op if op.is_atomic() => Vary::Lane,
            _ => Vary::Grid,
        }
    }

    /// Control flow at every instruction, over the whole kernel rather than since a loop's entry. Gives the control under
    /// which lanes have left the block before its end.
    fn place(&mut self, block: &'k Block, mut now: Control) -> Control {
        let mut gone = Control::TOGETHER;
        for inst in &block.insts {
            let number = self.at;
            self.at += 1;
            if now.varies > self.out.control[number].varies {
                self.out.control[number] = now;
                self.changed = true;
            }
            match inst.op {
                Op::If => {
                    let inside = inst.args.first().map_or(now, |&c| now.join(self.condition(c)));
                    let mut left = Control::TOGETHER;
                    for region in &inst.regions {
                        left = left.join(self.place(region, inside));
                    }
                    gone = gone.join(left);
                    now = now.join(left);
                }
                Op::For | Op::Loop => {
                    let info = self.out.loops[number];
                    let apart = info.map_or(now, |l| now.join(l.leave).join(l.leave_kernel));
                    for region in &inst.regions {
                        self.place(region, apart);
                    }
                    if let Some(l) = info {
                        // Only a `return` keeps lanes away from what follows the loop.
                        gone = gone.join(l.leave_kernel);
                        now = now.join(l.leave_kernel);
                    }
                }
                Op::Break | Op::Continue | Op::Return => gone = gone.join(now),
                _ => {}
            }
            self.out.after[number] = now;
        }
        gone
    }

    /// Variables that are set where lanes are apart.
    fn variables_set_apart(&self) -> HashSet<usize> {
        let (mut number, mut out) = (0, HashSet::new());
        self.kernel.body.walk(&mut |inst| {
            if let (Op::VarSet, Some(var)) = (inst.op, inst.var)
                && self.out.control[number].diverges()
            {
                out.insert(var.index());
            }
            number += 1;
        });
        out
    }

    fn fill(&mut self, block: &'k Block, apart: &HashSet<usize>) {
        for inst in &block.insts {
            let number = self.at;
            self.at += 1;
            let together = !self.out.control[number].diverges();
            let all = together && !self.out.after[number].diverges();
            let made = match inst.op {
                Op::VarGet => inst.var.is_some_and(|v| !apart.contains(&v.index())),
                op => op.is_pure() && inst.args.iter().all(|&v| self.out.full[v.index()]),
            };
            for &r in &inst.results {
                self.out.full[r.index()] = all || made || self.out.is_uniform(r);
            }
            let info = self.out.loops[number];
            let inside = together && info.is_none_or(|l| !l.leave.diverges() && !l.leave_kernel.diverges());
            for region in &inst.regions {
                for &p in &region.params {
                    self.out.full[p.index()] = inside || self.out.is_uniform(p);
                }
                self.fill(region, apart);
            }
        }
    }
}

/// How an item's index along an axis varies, from the shape of a group: subgroups are 16 consecutive items, the last axis
/// running fastest. A group with fewer axes than the extent has size 1 along the first ones.
fn position(kernel: &Kernel, axis: u32) -> Vary {
    let group = &kernel.group;
    let missing = (kernel.over.max(1) as usize).saturating_sub(group.len());
    let Some(own) = (axis as usize).checked_sub(missing) else { return Vary::Group };
    let inner: u64 = group.iter().skip(own + 1).map(|&n| n as u64).product();
    match group.get(own) {
        Some(1) => Vary::Group,
        Some(_) if inner > 0 && inner.is_multiple_of(u64::from(LANES)) => Vary::Subgroup,
        _ => Vary::Lane,
    }
}
