//! Control flow whose course is known.

use super::Fold;
use quadra_kir::{Block, Const, Elem, Inst, Op, Value, Values};

/// The most operations of arms that are computed without a branch.
const MOST_LIGHT: usize = 3;

impl Fold<'_> {
    /// An `if`: one arm alone where the condition is known; `select` where the arms only choose values.
    pub(super) fn branch(&mut self, mut inst: Inst, out: &mut Vec<Inst>) {
        let condition = inst.args[0];
        if let Some(taken) = self.kernel.as_const(condition).and_then(Const::as_bool) {
            let arm = inst.regions.swap_remove(usize::from(!taken));
            return self.splice(arm, &inst.results, out);
        }
        inst.regions = std::mem::take(&mut inst.regions).into_iter().map(|r| self.block(r)).collect();
        let yields = |r: &Block| r.terminator().filter(|t| t.op == Op::Yield).map(|t| t.args.clone());
        if let [Some(a), Some(b)] = &inst.regions.iter().map(yields).collect::<Vec<_>>()[..] {
            let mut only_yields = inst.regions.iter().all(|r| r.insts.len() == 1);
            if !only_yields && self.is_connective(&inst) {
                // Both sides cost less than a branch, and a loop without branches can be pipelined.
                for region in &mut inst.regions {
                    let end = region.insts.len() - 1;
                    out.extend(region.insts.drain(..end));
                }
                only_yields = true;
            }
            let mut kept = vec![true; inst.results.len()];
            for (j, keep) in kept.iter_mut().enumerate() {
                if a[j] == b[j] {
                    self.replace(inst.results[j], a[j]);
                    *keep = false;
                } else if only_yields {
                    let v = self.op(Op::Select, &[condition, a[j], b[j]], out, inst.span);
                    self.replace(inst.results[j], v);
                    *keep = false;
                }
            }
            if only_yields {
                return;
            }
            retain(&mut inst.results, &kept);
            for region in &mut inst.regions {
                let last = region.insts.last_mut().expect("an arm has its terminator");
                retain(&mut last.args, &kept);
            }
        }
        out.push(inst);
    }

    /// Whether an `if` gives truth values alone, which a comparison or two make: what front ends make of `&&` and `||` whose right
    /// sides have no effects.
    fn is_connective(&self, inst: &Inst) -> bool {
        use Op::*;
        let light = |i: &Inst| {
            let compares =
                matches!(i.op, CmpEq | CmpNe | CmpLt | CmpLe | CmpGt | CmpGe | CmpLtU | CmpLeU | CmpGtU | CmpGeU);
            compares || matches!(i.op, Add | Sub | And | Or | Xor | Not)
        };
        let narrow = |i: &Inst| i.args.iter().all(|&v| self.kernel.ty(v).elem.bytes() <= 4);
        let all = |r: &Block| r.insts[..r.insts.len() - 1].iter().all(|i| light(i) && narrow(i));
        let count: usize = inst.regions.iter().map(|r| r.insts.len() - 1).sum();
        let truths = !inst.results.is_empty() && inst.results.iter().all(|&r| self.kernel.ty(r).elem == Elem::Bool);
        truths && count <= MOST_LIGHT && inst.regions.iter().all(all)
    }

    /// Puts an arm's instructions in place of its `if`.
    fn splice(&mut self, arm: Block, results: &[Value], out: &mut Vec<Inst>) {
        for inst in arm.insts {
            if inst.op == Op::Yield {
                for (&r, &v) in results.iter().zip(&inst.args) {
                    let v = self.at(v);
                    self.replace(r, v);
                }
                return;
            }
            self.inst(inst, out);
            if out.last().is_some_and(|i| i.op.is_terminator()) {
                return;
            }
        }
    }

    /// A counted loop: nothing where it runs zero times, its body where it runs once.
    pub(super) fn counted(&mut self, mut inst: Inst, out: &mut Vec<Inst>) {
        let bounds: Vec<Option<i32>> = inst.args[..3].iter().map(|&v| self.kernel.as_i32(v)).collect();
        let [lo, hi, step] = bounds[..] else { return out.push(inst) };
        // A loop whose step is 0 is endless.
        let empty = match (lo, hi, step) {
            (Some(lo), Some(hi), Some(s)) => {
                if s < 0 {
                    lo <= hi
                } else {
                    lo >= hi
                }
            }
            _ => inst.args[0] == inst.args[1],
        };
        if empty {
            for (&r, &v) in inst.results.iter().zip(inst.carried()) {
                self.map.insert(r, v);
            }
            return;
        }
        let body = std::mem::take(&mut inst.regions[0]);
        let once = match (lo, hi, step) {
            (Some(lo), Some(hi), Some(s)) => {
                let next = lo.wrapping_add(s);
                if s < 0 { next <= hi } else { next >= hi }
            }
            _ => false,
        };
        if once && body.exits(Op::Break) + body.exits(Op::Continue) == 0 {
            self.replace(body.params[0], inst.args[0]);
            for (&p, &v) in body.params[1..].iter().zip(inst.carried()) {
                self.replace(p, v);
            }
            return self.splice(body, &inst.results, out);
        }
        self.drop_invariant(inst, body, out, 1);
    }

    pub(super) fn endless(&mut self, mut inst: Inst, out: &mut Vec<Inst>) {
        let body = std::mem::take(&mut inst.regions[0]);
        self.drop_invariant(inst, body, out, 0);
    }

    /// Carried values that never change are their initial values.
    fn drop_invariant(&mut self, mut inst: Inst, mut body: Block, out: &mut Vec<Inst>, skip: usize) {
        let n = body.params.len() - skip;
        let mut same = vec![true; n];
        let next = |end: &Inst| matches!(end.op, Op::Continue | Op::Yield);
        body.ends(&mut |end| {
            for (j, &v) in end.args.iter().enumerate().take(if next(end) { n } else { 0 }) {
                let v = self.at(v);
                same[j] &= v == body.params[skip + j] || v == inst.carried()[j];
            }
        });
        // A counted loop's results end with the carried values, those of a `break` with others.
        let breaks = skip == 1 && body.exits(Op::Break) > 0;
        let drop: Vec<bool> = (0..n).map(|j| same[j] && !breaks).collect();
        if drop.contains(&true) {
            let init = inst.carried().to_vec();
            for j in (0..n).filter(|&j| drop[j]) {
                self.replace(body.params[skip + j], init[j]);
                if skip == 1 {
                    self.replace(inst.results[j], init[j]);
                }
            }
            let kept: Vec<bool> = drop.iter().map(|d| !d).collect();
            let with =
                |lead: usize| -> Vec<bool> { std::iter::repeat_n(true, lead).chain(kept.iter().copied()).collect() };
            retain(&mut inst.args, &with(3 * skip));
            retain(&mut body.params, &with(skip));
            if skip == 1 {
                retain(&mut inst.results, &kept);
            }
            body.ends_mut(&mut |end| {
                if next(end) {
                    retain(&mut end.args, &kept);
                }
            });
        }
        let body = self.block(body);
        inst.regions[0] = body;
        out.push(inst);
    }
}

/// Keeps the items whose flag is set.
fn retain(items: &mut Values, kept: &[bool]) {
    let mut kept = kept.iter();
    items.retain(|_| kept.next().copied().unwrap_or(true));
}
