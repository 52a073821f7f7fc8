//! Ids, regions, terminators, dominance, types.

use super::{error, typing};
use crate::ir::kernel::MAX_NESTING;
use crate::kernel::{Block, Def, Inst, Kernel, Param, Space, Value};
use crate::ops::Op;
use crate::types::{Elem, LANES, Type};
use quadra_base::Diagnostic;

/// What is wrong with the structure of a kernel; empty if the interpreters may run it.
pub fn structure(kernel: &Kernel) -> Vec<Diagnostic> {
    let visible = kernel.values.iter().map(|(_, info)| matches!(info.def, Def::Const(_))).collect();
    let defined = vec![false; kernel.values.len()];
    let mut checker = Checker { kernel, visible, defined, scope: Vec::new(), owners: Vec::new(), found: Vec::new() };
    checker.header();
    if checker.found.is_empty() {
        checker.block(&kernel.body);
    }
    checker.found
}

struct Checker<'k> {
    kernel: &'k Kernel,
    /// Values that may be used here, and values that some instruction has defined.
    visible: Vec<bool>,
    defined: Vec<bool>,
    scope: Vec<Value>,
    /// The instructions whose regions we are in.
    owners: Vec<&'k Inst>,
    found: Vec<Diagnostic>,
}

impl<'k> Checker<'k> {
    fn report(&mut self, code: &'static str, inst: &Inst, message: impl Into<String>) {
        self.found.push(error(code, inst, message));
    }

    fn header(&mut self) {
        let k = self.kernel;
        let mut bad = |message: String| self.found.push(Diagnostic::error("E0316", message).at(k.span));
        let items: u64 = k.group.iter().map(|&n| n as u64).product();
        if k.group.is_empty() || items == 0 || items > 1 << 16 {
            bad(format!("a group of {items} items: there must be 1 to 65536"));
        }
        if k.group.len() > (k.over as usize).max(1) || k.over > 8 {
            bad(format!("the group has {} axes, the extent {}", k.group.len(), k.over));
        }
        if k.over == 0 && k.group[..] != [LANES] {
            bad(format!("a kernel that runs once per worker has groups of {LANES}"));
        }
        for &param in &k.params {
            match param {
                Param::Scalar(v) => match k.values.get(v) {
                    Some(info) if info.def == Def::Param && !info.ty.lanes => {
                        self.visible[v.index()] = true;
                        self.defined[v.index()] = true;
                    }
                    _ => bad("a scalar parameter is one element, the same in all lanes".into()),
                },
                Param::Buffer(b) => {
                    if k.bufs.get(b).is_none_or(|info| info.space != Space::Global) {
                        bad("a buffer parameter names a buffer of the launch".into());
                    }
                }
            }
        }
        for (_, info) in k.bufs.iter() {
            let sized = info.space == Space::Global || info.dims.len() == info.rank as usize;
            if info.rank == 0 || info.rank > 8 || !sized || info.dims.contains(&0) {
                bad(format!("buffer `{}` has a shape that no buffer can have", info.name));
            }
        }
        for (v, info) in k.values.iter() {
            let right = info.ty.elem == info.ty.elem.in_register();
            if !right || matches!(info.def, Def::Const(_)) && info.ty != info.ty.with_lanes(false) {
                bad(format!("{v:?} has the type {}, which no value can have", info.ty));
            }
        }
        for (_, info) in k.vars.iter() {
            if info.ty.lanes || info.ty.elem != info.ty.elem.in_register() {
                bad(format!("variable `{}` has the type {}, which no variable can have", info.name, info.ty));
            }
        }
    }

    fn define(&mut self, inst: &Inst, v: Value) {
        if v.index() >= self.visible.len() || self.kernel.values[v].def != Def::Local {
            return self.report("E0305", inst, format!("{v:?} is no value that an instruction may define"));
        }
        if self.defined[v.index()] {
            return self.report("E0303", inst, format!("`{}` is defined twice", self.name(v)));
        }
        (self.defined[v.index()], self.visible[v.index()]) = (true, true);
        self.scope.push(v);
    }

    fn name(&self, v: Value) -> String {
        let name = self.kernel.values.get(v).map_or("", |info| &info.name);
        if name.is_empty() { format!("{v:?}") } else { format!("%{name}") }
    }

    fn uses(&mut self, inst: &Inst) -> bool {
        for v in inst.uses() {
            if !self.visible.get(v.index()).copied().unwrap_or(false) {
                let late = self.defined.get(v.index()).copied().unwrap_or(false);
                let how = if late { "outside the region that defines it" } else { "before its definition" };
                self.report("E0305", inst, format!("`{}` uses `{}` {how}", inst.op.mnemonic(), self.name(v)));
                return false;
            }
        }
        true
    }

    fn block(&mut self, block: &'k Block) {
        let outside = self.scope.len();
        let last = block.insts.len().saturating_sub(1);
        for (i, inst) in block.insts.iter().enumerate() {
            if inst.op.is_terminator() != (i == last) {
                let what = if i == last { "the block does not end" } else { "something follows the end of the block" };
                self.report(
                    "E0306",
                    inst,
                    format!("{what}: a region ends with one `yield`, `break`, `continue` or `return`"),
                );
                break;
            }
            self.inst(inst);
            // One mistake leads to many; the first ones are those to read.
            if self.found.len() > 10 {
                break;
            }
        }
        if block.insts.is_empty() {
            let at = self.owners.last().map_or(self.kernel.span, |inst| inst.span);
            self.found.push(Diagnostic::error("E0306", "a region without an instruction does not end").at(at));
        }
        for v in self.scope.drain(outside..) {
            self.visible[v.index()] = false;
        }
    }

    fn inst(&mut self, inst: &'k Inst) {
        if !self.uses(inst) {
            return;
        }
        if inst.op.is_terminator() {
            return self.terminator(inst);
        }
        let wanted = match inst.op {
            Op::If => 2,
            Op::For | Op::Loop => 1,
            _ => 0,
        };
        if inst.regions.len() != wanted {
            return self.report("E0307", inst, format!("`{}` has {} regions", inst.op.mnemonic(), inst.regions.len()));
        }
        if self.owners.len() >= MAX_NESTING {
            return self.report("E0307", inst, format!("regions are nested more than {MAX_NESTING} deep"));
        }
        if wanted > 0 {
            if !self.region_params(inst) {
                return;
            }
            self.owners.push(inst);
            for region in &inst.regions {
                let outside = self.scope.len();
                region.params.iter().for_each(|&p| self.define(inst, p));
                self.block(region);
                for v in self.scope.drain(outside..) {
                    self.visible[v.index()] = false;
                }
            }
            self.owners.pop();
            if !self.found.is_empty() {
                return;
            }
        }
        self.results(inst);
    }

    /// The parameters of a region: their number and the types of what they start with.
    fn region_params(&mut self, inst: &Inst) -> bool {
        let level = self.kernel.level;
        let params = |i: usize| &inst.regions[i].params;
        if inst.regions.iter().flat_map(|r| &r.params).any(|p| p.index() >= self.visible.len()) {
            self.report("E0305", inst, "a region's parameter is no value of the kernel");
            return false;
        }
        let ty = |v: &Value| self.kernel.ty(*v);
        let right = match inst.op {
            Op::If => params(0).is_empty() && params(1).is_empty(),
            Op::For => {
                inst.args.len() >= 3
                    && params(0).len() == inst.args.len() - 2
                    && ty(&params(0)[0]).with_lanes(false) == Type::I32
                    && params(0)[1..].iter().zip(&inst.args[3..]).all(|(p, a)| typing::fits(level, ty(a), ty(p)))
            }
            _ => {
                params(0).len() == inst.args.len()
                    && params(0).iter().zip(&inst.args).all(|(p, a)| typing::fits(level, ty(a), ty(p)))
            }
        };
        if !right {
            let message = format!("the parameters of the region of `{}` do not fit its operands", inst.op.mnemonic());
            self.report("E0307", inst, message);
        }
        right
    }

    fn results(&mut self, inst: &'k Inst) {
        if inst.results.iter().any(|r| r.index() >= self.visible.len()) {
            return self.report("E0305", inst, "a result is no value of the kernel");
        }
        let types = match typing::result_types(self.kernel, inst) {
            Ok(types) => types,
            Err(message) => return self.report("E0304", inst, message),
        };
        let open = matches!(inst.op, Op::If | Op::Loop) && types.is_empty();
        let unused = inst.op.is_atomic() && inst.results.is_empty();
        if inst.results.len() != types.len() && !unused && !open {
            let message = format!("`{}` gives {} results, not {}", inst.op.mnemonic(), types.len(), inst.results.len());
            return self.report("E0310", inst, message);
        }
        for (&r, &ty) in inst.results.iter().zip(&types) {
            let actual = self.kernel.ty(r);
            let right = ty == actual || (!inst.regions.is_empty() && typing::fits(self.kernel.level, ty, actual));
            if !right {
                let message = format!("`{}` gives {ty}, `{}` is {actual}", inst.op.mnemonic(), self.name(r));
                self.report("E0310", inst, message);
            }
        }
        if let Some(mask) = inst.mask {
            let ty = self.kernel.ty(mask);
            if ty.elem != Elem::Bool {
                self.report("E0304", inst, format!("a mask is a bool per lane, not {ty}"));
            }
        }
        inst.results.iter().for_each(|&r| self.define(inst, r));
    }

    /// Whether a terminator may end this region, and whether what it passes on fits.
    fn terminator(&mut self, inst: &'k Inst) {
        let name = inst.op.mnemonic();
        let owner = self.owners.last().copied();
        let innermost = self.owners.iter().rev().find(|o| matches!(o.op, Op::For | Op::Loop)).copied();
        let targets: Option<&[Value]> = match (inst.op, owner, innermost) {
            (Op::Return, ..) => Some(&[]),
            (Op::Yield, Some(o), _) if o.op == Op::If => Some(&o.results),
            (Op::Yield, Some(o), _) if o.op == Op::For => Some(&o.regions[0].params[1..]),
            (Op::Break, _, Some(l)) => Some(&l.results),
            (Op::Continue, _, Some(l)) if l.op == Op::For => Some(&l.regions[0].params[1..]),
            (Op::Continue, _, Some(l)) if l.op == Op::Loop => Some(&l.regions[0].params),
            _ => None,
        };
        let Some(targets) = targets else {
            let place = owner.map_or("the kernel's body".to_string(), |o| format!("a region of `{}`", o.op.mnemonic()));
            return self.report("E0306", inst, format!("`{name}` cannot end {place} here"));
        };
        if targets.len() != inst.args.len() {
            let message = format!("`{name}` passes on {} values, {} are wanted", inst.args.len(), targets.len());
            return self.report("E0307", inst, message);
        }
        for (&to, &from) in targets.iter().zip(&inst.args) {
            let Some(info) = self.kernel.values.get(to) else { continue };
            let from_ty = self.kernel.ty(from);
            if !typing::fits(self.kernel.level, from_ty, info.ty) {
                let message = format!("`{name}` passes on {from_ty} where {} is wanted", info.ty);
                self.report("E0307", inst, message);
            }
        }
    }
}
