//! Where a body is cut, and which values and variables live across the cuts.

use super::super::plan::How;
use super::super::{is_input, spill_array};
use super::{Emit, Node, assigned, each, stored};
use quadra_base::quick::{Map, Set};
use quadra_kir::{Block, Inst, Op, Value, Var};

/// Instructions up to which a value is computed again behind a barrier instead of being kept in memory.
const AGAIN: usize = 6;

/// Who uses a value or variable.
#[derive(Default)]
struct Users {
    /// Segment that defines it.
    home: Option<usize>,
    elsewhere: bool,
}

impl<'k> Emit<'k> {
    /// Cuts a block of the group.
    pub(super) fn cut(&mut self, block: &'k Block) -> Vec<Node<'k>> {
        let (mut nodes, mut run) = (Vec::new(), Vec::new());
        for inst in &block.insts {
            if inst.op == Op::Barrier {
                self.close(&mut run, &mut nodes);
                nodes.push(Node::Barrier(inst));
                continue;
            }
            match self.plan.how(inst) {
                How::Cut => {
                    self.close(&mut run, &mut nodes);
                    let regions = inst.regions.iter().map(|r| self.cut(r)).collect();
                    nodes.push(Node::Cut(inst, regions));
                }
                _ if inst.op.is_terminator() => {
                    self.close(&mut run, &mut nodes);
                    nodes.push(Node::Group(inst));
                }
                How::Group => {
                    if !run.is_empty() && self.depends(&run, inst) {
                        self.close(&mut run, &mut nodes);
                    }
                    nodes.push(Node::Group(inst));
                }
                How::Items => run.push(inst),
            }
        }
        self.close(&mut run, &mut nodes);
        nodes
    }

    /// Whether the items before an instruction of the group must have run before it.
    fn depends(&self, run: &[&'k Inst], inst: &Inst) -> bool {
        let vars = assigned(inst);
        let mut found = false;
        each(inst, &mut |i| {
            found |= i.op == Op::Load && !i.buf.is_some_and(|b| is_input(&self.old.bufs[b]));
            found |= i.uses().any(|v| run.iter().any(|r| r.results.contains(&v)));
        });
        run.iter()
            .for_each(|r| each(r, &mut |i| found |= i.op == Op::VarGet && i.var.is_some_and(|v| vars.contains(&v))));
        found
    }

    fn close(&mut self, run: &mut Vec<&'k Inst>, nodes: &mut Vec<Node<'k>>) {
        if run.is_empty() {
            return;
        }
        for inst in run.iter() {
            inst.results.iter().for_each(|&r| {
                self.home.insert(r, self.segments);
            });
        }
        nodes.push(Node::Items(self.segments, std::mem::take(run)));
        self.segments += 1;
    }

    /// Gives memory to what lives across barriers.
    pub(super) fn find_crossing(&mut self, nodes: &[Node<'k>]) {
        let (mut values, mut vars): (Set<Value>, Map<Var, Users>) = (Set::default(), Map::default());
        self.uses(nodes, false, &mut values, &mut vars);
        let mut values: Vec<Value> = values.into_iter().filter(|&v| self.again(v).is_none()).collect();
        values.sort();
        for v in values {
            let elem = stored(self.kernel.ty(v).elem);
            let buf = spill_array(&mut self.kernel, "kept", elem, self.items);
            self.values.insert(v, buf);
        }
        let mut vars: Vec<Var> = vars.into_iter().filter(|(_, u)| u.elsewhere).map(|(v, _)| v).collect();
        vars.sort();
        for var in vars {
            let (name, ty) = (self.kernel.vars[var].name.to_string(), self.kernel.vars[var].ty);
            let buf = spill_array(&mut self.kernel, &name, stored(ty.elem), self.items);
            self.vars.insert(var, buf);
        }
    }

    fn uses(&self, nodes: &[Node<'k>], looped: bool, values: &mut Set<Value>, vars: &mut Map<Var, Users>) {
        for node in nodes {
            match node {
                Node::Barrier(_) => {}
                Node::Group(inst) => self.uses_of(inst, None, values, vars),
                Node::Cut(inst, regions) => {
                    inst.uses().filter(|v| self.home.contains_key(v)).for_each(|v| {
                        values.insert(v);
                    });
                    let looped = looped || inst.op != Op::If;
                    regions.iter().for_each(|r| self.uses(r, looped, values, vars));
                }
                Node::Items(number, insts) => {
                    for (i, inst) in insts.iter().enumerate() {
                        self.uses_of(inst, Some(*number), values, vars);
                        // A variable of one segment starts anew there if that assigns it first.
                        each(inst, &mut |u| {
                            let Some(var) = u.var.filter(|&v| !self.plan.is_group_var(v)) else { return };
                            let first = insts[..=i].iter().find(|x| mentions(x, var));
                            let fresh = first.is_some_and(|x| x.op == Op::VarSet);
                            vars.entry(var).or_default().elsewhere |= looped && !fresh;
                        });
                    }
                }
            }
        }
    }

    fn uses_of(&self, inst: &Inst, segment: Option<usize>, values: &mut Set<Value>, vars: &mut Map<Var, Users>) {
        each(inst, &mut |i| {
            for v in i.uses() {
                if self.home.get(&v).is_some_and(|&h| Some(h) != segment) {
                    values.insert(v);
                }
            }
            if let Some(var) = i.var.filter(|&v| !self.plan.is_group_var(v)) {
                let users = vars.entry(var).or_default();
                let other = users.home.is_some_and(|h| Some(h) != segment);
                users.elsewhere |= other || segment.is_none();
                users.home = users.home.or(segment);
            }
        });
    }

    /// The instructions that compute a value of the items from what each item has anyway, if these are few.
    fn again(&self, v: Value) -> Option<usize> {
        let Some(&home) = self.home.get(&v) else { return Some(0) };
        let inst = self.defs.get(&v).filter(|_| home < self.segments)?;
        let by_lanes = matches!(inst.op, Op::VoteAny | Op::VoteAll | Op::Broadcast | Op::Rotate);
        if !inst.op.is_pure() || by_lanes || !inst.regions.is_empty() {
            return None;
        }
        let mut sum = 1;
        for &arg in &inst.args {
            sum += self.again(arg)?;
        }
        (sum <= AGAIN).then_some(sum)
    }
}

/// Whether an instruction, or one within it, names a variable.
fn mentions(inst: &Inst, var: Var) -> bool {
    let mut found = false;
    each(inst, &mut |i| found |= i.var == Some(var));
    found
}
