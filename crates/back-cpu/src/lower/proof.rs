//! Which accesses are known to stay inside their buffers.
//!
//! An index is a sum; the bounds of what it adds up bound it. Under a mask, what the mask compares is bounded, too: a test of
//! row and column against the sizes proves the index made of them.

use super::Lower;
use super::memory::is_row;
use quadra_kir::{Inst, Op, Value};
use quadra_passes::analysis::linear::Form;

/// A sum without its constant, and between which bounds it lies where a mask holds.
struct Limit {
    terms: Vec<(Value, i32)>,
    low: i64,
    high: i64,
}

impl Lower<'_> {
    /// Whether the bounds of its index prove that an access stays inside its buffer.
    pub(super) fn proven(&self, inst: &Inst) -> bool {
        if inst.mode == quadra_kir::Mode::Inside {
            return true;
        }
        let Some(length) = inst.buf.and_then(|b| self.plan.lengths[b.index()]) else { return false };
        let length = i64::from(length);
        let form = self.forms.at(self.kernel, inst.args[0]);
        let exact = form.bounds(self.kernel, &self.range);
        let near = self.range.bounds(self.kernel, inst.args[0]);
        let (low, high) = (exact.low.max(near.low), exact.high.min(near.high));
        let lanes = if is_row(inst) { 15 } else { 0 };
        if low >= 0 && high + lanes < length {
            return true;
        }
        inst.mask.is_some_and(|mask| self.under_mask(&form, is_row(inst), mask, length))
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
        let (mut low, mut high) = (i64::from(rest.constant), i64::from(rest.constant));
        rest.constant = 0;
        for limit in &limits {
            let Some(factor) = multiple(&rest, &limit.terms) else { continue };
            let (x, y) = (limit.low * i64::from(factor), limit.high * i64::from(factor));
            (low, high) = (low + x.min(y), high + x.max(y));
            rest.terms.retain(|(v, _)| limit.terms.iter().all(|t| t.0 != *v));
        }
        let other = rest.bounds(self.kernel, &self.range);
        low + other.low >= 0 && high + other.high < length
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
        if bounds == quadra_passes::analysis::range::Bounds::ANY {
            return;
        }
        let (mut low, mut high) = (bounds.low, bounds.high);
        match op {
            Op::CmpLt => high = high.min(c - 1),
            Op::CmpLe => high = high.min(c),
            Op::CmpGt => low = low.max(c + 1),
            Op::CmpGe => low = low.max(c),
            Op::CmpLtU if c >= 0 => (low, high) = (low.max(0), high.min(c - 1)),
            _ => return,
        }
        let constant = i64::from(form.constant);
        (low, high) = (low - constant, high - constant);
        match to.iter_mut().find(|l| l.terms[..] == form.terms[..]) {
            Some(known) => (known.low, known.high) = (known.low.max(low), known.high.min(high)),
            None => to.push(Limit { terms: form.terms.into_vec(), low, high }),
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
