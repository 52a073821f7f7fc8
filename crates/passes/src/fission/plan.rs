//! What runs once per group, and what per item.

use super::is_input;
use quadra_base::quick::Set;
use quadra_kir::variance::{Variance, Vary};
use quadra_kir::{Block, Inst, Kernel, Op, Value, Var};

/// The decisions of a kernel.
pub(super) struct Plan {
    variance: Variance,
    /// Variables that the group has one of.
    vars: Vec<bool>,
    /// Instructions of blocks of the group that the group runs, by [`key`].
    lifted: Set<usize>,
    /// Those that are cut, because a barrier stands in them.
    cut: Set<usize>,
}

/// What tells instructions of one kernel apart.
fn key(inst: &Inst) -> usize {
    inst as *const Inst as usize
}

/// How an instruction of a block of the group runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// Once per item.
    Items,
    /// Once per group.
    Group,
    /// Once per group, its regions cut in turn.
    Cut,
}

impl Plan {
    pub fn of(kernel: &Kernel) -> Plan {
        let variance = Variance::of(kernel);
        let vars = vec![true; kernel.vars.len()];
        let mut plan = Plan { variance, vars, lifted: Set::default(), cut: Set::default() };
        loop {
            (plan.lifted, plan.cut) = (Set::default(), Set::default());
            let before = plan.vars.clone();
            let mut needed = Set::default();
            plan.needed(kernel, &kernel.body, &mut needed);
            plan.block(kernel, &kernel.body, &needed);
            if plan.vars == before {
                return plan;
            }
        }
    }

    /// How an instruction of a block of the group runs.
    pub fn how(&self, inst: &Inst) -> How {
        match (self.cut.contains(&key(inst)), self.lifted.contains(&key(inst))) {
            (true, _) => How::Cut,
            (_, true) => How::Group,
            _ => How::Items,
        }
    }

    /// Whether the group has one of this variable.
    pub fn is_group_var(&self, var: Var) -> bool {
        self.vars[var.index()]
    }

    fn agreed(&self, v: Value) -> bool {
        self.variance.level(v) <= Vary::Group
    }

    /// What decides where the group goes: conditions of what is cut, and what is assigned to the group's variables.
    fn needed(&self, kernel: &Kernel, block: &Block, out: &mut Set<Value>) {
        let mut defs = quadra_base::quick::Map::default();
        kernel.body.walk(&mut |i| {
            for &r in &i.results {
                defs.insert(r, i);
            }
        });
        let mut work: Vec<Value> = Vec::new();
        self.roots(block, &mut work);
        while let Some(v) = work.pop() {
            if out.insert(v)
                && let Some(inst) = defs.get(&v)
            {
                work.extend(inst.args.iter().copied());
            }
        }
    }

    fn roots(&self, block: &Block, work: &mut Vec<Value>) {
        for inst in &block.insts {
            if self.is_cut(inst) {
                work.extend(inst.args.iter().copied());
                inst.regions.iter().for_each(|r| self.roots(r, work));
            } else if inst.op == Op::VarSet && inst.var.is_some_and(|v| self.is_group_var(v)) {
                work.extend(inst.args.iter().copied());
            }
        }
    }

    /// Decides for a block of the group; variables that items assign belong to the items.
    fn block(&mut self, kernel: &Kernel, block: &Block, needed: &Set<Value>) {
        for inst in &block.insts {
            if self.is_cut(inst) {
                self.cut.insert(key(inst));
                inst.regions.iter().for_each(|r| self.block(kernel, r, needed));
            } else if self.lifts(kernel, inst, needed) {
                self.lifted.insert(key(inst));
            } else {
                self.belongs_to_items(inst);
            }
        }
    }

    /// Whether the group itself goes through an instruction: a barrier stands in it, or the group leaves a loop, or ends, there.
    fn is_cut(&self, inst: &Inst) -> bool {
        let barrier = inst.regions.iter().any(|r| r.any(&mut |i| i.op == Op::Barrier));
        match inst.op {
            Op::For | Op::Loop => barrier,
            Op::If => {
                let exits = |r: &Block| r.exits(Op::Break) + r.exits(Op::Continue) > 0;
                let ends = inst.regions.iter().any(|r| r.insts.iter().any(|i| i.op == Op::Return));
                barrier || inst.regions.iter().any(exits) || ends && self.agreed(inst.args[0])
            }
            _ => false,
        }
    }

    fn belongs_to_items(&mut self, inst: &Inst) {
        if let (Op::VarSet, Some(var)) = (inst.op, inst.var) {
            self.vars[var.index()] = false;
        }
        inst.regions.iter().flat_map(|r| &r.insts).for_each(|i| self.belongs_to_items(i));
    }

    /// Whether the group can run an instruction, with all in it, once for all items.
    fn lifts(&self, kernel: &Kernel, inst: &Inst, needed: &Set<Value>) -> bool {
        let agreed = inst.uses().all(|v| self.agreed(v)) && inst.results.iter().all(|&v| self.agreed(v));
        let wanted = inst.results.iter().any(|v| needed.contains(v));
        agreed
            && match inst.op {
                Op::VarGet | Op::VarSet => inst.var.is_some_and(|v| self.is_group_var(v)),
                // What may change is read once only where the group's own way depends on it.
                Op::Load => wanted || inst.buf.is_some_and(|b| is_input(&kernel.bufs[b])),
                // These go by the lanes that ask.
                Op::VoteAny | Op::VoteAll | Op::Broadcast | Op::Rotate => false,
                Op::If | Op::For | Op::Loop => {
                    let inner = |i: &Inst| self.lifts(kernel, i, needed);
                    inst.regions.iter().all(|r| r.insts.iter().all(inner))
                }
                Op::Yield | Op::Break | Op::Continue => true,
                op => op.is_pure(),
            }
    }
}
