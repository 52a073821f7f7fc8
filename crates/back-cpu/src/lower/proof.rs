//! Which accesses are known to stay inside their buffers.
//!
//! An index is a sum; the bounds of what it adds up bound it. Under a mask, what the mask compares is bounded, too: a test of
//! row and column against the sizes proves the index made of them.

use super::state::Lower;
use super::words::is_row;
use crate::common::function::{Reason, Sort};
use quadra_kir::{Inst, Op, Value};
use quadra_passes::analysis::linear::Form;
use quadra_passes::analysis::range::Bounds;

/// A sum without its constant, and between which bounds it lies where a mask holds.
struct Limit {
    terms: Vec<(Value, i32)>,
    bounds: Bounds,
}

impl Lower<'_> {
    /// Whether the bounds of its index prove that an access stays inside its buffer.
    pub(super) fn proven(&self, inst: &Inst) -> bool {
        self.reason(inst).is_some()
    }

    /// By which rule an access is known to stay inside its buffer.
    pub(super) fn reason(&self, inst: &Inst) -> Option<Reason> {
        if inst.mode == quadra_kir::Mode::Inside {
            return Some(Reason::Claimed);
        }
        if self.bounded(inst) {
            return Some(Reason::Bounds);
        }
        let length = i64::from(inst.buf.and_then(|b| self.plan.lengths[b.index()])?);
        let form = self.forms.at(self.kernel, inst.args[0]);
        inst.mask.filter(|&mask| self.under_mask(&form, is_row(inst), mask, length)).map(|_| Reason::Mask)
    }

    /// Whether the bounds of the index alone lie inside, whatever was tested before the access.
    pub(super) fn bounded(&self, inst: &Inst) -> bool {
        let Some(length) = inst.buf.and_then(|b| self.plan.lengths[b.index()]) else { return false };
        let exact = self.forms.at(self.kernel, inst.args[0]).bounds(self.kernel, &self.range);
        let near = self.range.bounds(self.kernel, inst.args[0]);
        let lanes = if is_row(inst) { 15 } else { 0 };
        exact.low.max(near.low) >= 0 && exact.high.min(near.high) + lanes < i64::from(length)
    }

    /// In the checked mode, tests what was proved of an access.
    pub(super) fn check_proof(&mut self, inst: &Inst) {
        let Some((reason, buf)) = self.reason(inst).zip(inst.buf).filter(|_| self.plan.checked) else { return };
        let (asked, index) = (self.asked(inst), self.indices(inst));
        let before = self.sites.len();
        self.check_as(inst, &index, &asked, &format!("%n{}", buf.index()), Sort::Proof);
        self.sites[before..].iter_mut().for_each(|site| site.proof = Some(reason));
    }

    fn under_mask(&self, form: &Form, row: bool, mask: Value, length: i64) -> bool {
        let mut limits = Vec::new();
        self.limits(mask, &mut limits, 8);
        let mut rest = form.clone();
        if row {
            // A row's index is that of lane 0; the conditions are about each lane's own.
            let Some(lane) = self.lane else { return false };
            rest = rest.plus(&Form::value(lane), 1);
        }
        let mut sum = Bounds::exactly(i64::from(rest.constant));
        rest.constant = 0;
        for limit in &limits {
            let Some(factor) = multiple(&rest, &limit.terms) else { continue };
            sum = sum.plus(limit.bounds.times(Bounds::exactly(i64::from(factor))));
            rest.terms.retain(|(v, _)| limit.terms.iter().all(|t| t.0 != *v));
        }
        sum.plus(rest.bounds(self.kernel, &self.range)).within(0, length - 1)
    }

    /// What holds of sums where a mask does. Both limits of a sum may come from different conditions.
    fn limits(&self, mask: Value, to: &mut Vec<Limit>, depth: u32) {
        let Some((op, args)) = self.conditions.get(&mask) else { return };
        if *op == Op::And && depth > 0 {
            args.iter().for_each(|&a| self.limits(a, to, depth - 1));
            return;
        }
        let whole = |v: Value| self.kernel.as_i32(v).map(i64::from);
        let (form, op, c) = match (whole(args[0]), whole(args[1])) {
            (None, Some(c)) => (self.forms.at(self.kernel, args[0]), *op, c),
            (Some(c), None) => (self.forms.at(self.kernel, args[1]), turned(*op), c),
            _ => return,
        };
        // Without the guarantee that the sum does not wrap, a comparison says nothing of its terms.
        let bounds = form.bounds(self.kernel, &self.range);
        if bounds == Bounds::ANY {
            return;
        }
        let holds = match op {
            Op::CmpLt => Bounds { high: c - 1, ..Bounds::ANY },
            Op::CmpLe => Bounds { high: c, ..Bounds::ANY },
            Op::CmpGt => Bounds { low: c + 1, ..Bounds::ANY },
            Op::CmpGe => Bounds { low: c, ..Bounds::ANY },
            Op::CmpLtU if c >= 0 => Bounds::new(0, c - 1),
            _ => return,
        };
        let bounds = bounds.meet(holds).minus(Bounds::exactly(i64::from(form.constant)));
        match to.iter_mut().find(|l| l.terms[..] == form.terms[..]) {
            Some(known) => known.bounds = known.bounds.meet(bounds),
            None => to.push(Limit { terms: form.terms.into_vec(), bounds }),
        }
    }
}

/// By which factor `terms` are contained in a sum, if they are.
fn multiple(form: &Form, terms: &[(Value, i32)]) -> Option<i32> {
    let &(first, unit) = terms.first()?;
    let factor = form.factor(first);
    let whole = factor != 0 && unit != 0 && factor % unit == 0;
    let factor = if whole { factor / unit } else { return None };
    terms.iter().all(|&(v, f)| form.factor(v) == f.wrapping_mul(factor)).then_some(factor)
}

/// The comparison with its operands exchanged.
fn turned(op: Op) -> Op {
    match op {
        Op::CmpLt => Op::CmpGt,
        Op::CmpLe => Op::CmpGe,
        Op::CmpGt => Op::CmpLt,
        Op::CmpGe => Op::CmpLe,
        _ => Op::CmpEq,
    }
}
