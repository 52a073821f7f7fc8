//! What the verdicts of loops need besides types: access modes of variables, and loops within loops that run in order.

use super::{Infer, LoopVerdict};
use crate::meaning::Library;
use crate::par::{self, exact::literal_range};
use crate::scope::{self, Names};
use crate::types::Access;
use quadra_quasar_syntax::ast::{Expr, ExprKind, For, Text, TypeExpr};

impl Infer<'_> {
    /// Keeps the verdict on a loop.
    pub(super) fn found(&mut self, f: &For, verdict: par::Verdict) {
        let depth = verdict.plan.as_ref().filter(|_| verdict.parallel).map_or(0, |plan| plan.depth);
        self.findings.verdicts.push(LoopVerdict { id: f.id, span: f.span, text: verdict.text, depth });
        self.findings.diagnostics.extend(verdict.diagnostics);
        if verdict.parallel {
            self.findings.safe_loops.insert(f.id);
        }
        if let Some(plan) = verdict.plan {
            self.findings.plans.insert(f.id, plan);
        }
    }

    /// What becomes of the parallel loops within one that runs in order: its lanes, or loops that run on all threads instead.
    pub(super) fn settle_order(&mut self, f: &For, judged: bool) {
        let plans = &self.findings.plans;
        if !judged || plans.get(&f.id).is_none_or(|p| p.serial.is_none()) {
            return;
        }
        let mut found = par::Serial::default();
        let reserve = |id| self.findings.reserve.get(&id).map(|(_, plan)| plan.clone());
        let made =
            |name: &str| plans.get(&f.id).and_then(|p| p.serial.as_ref()).is_some_and(|s| s.rotation.is_own(name));
        // Iterations that are lanes cannot share an array that each of them makes.
        let shared = |f: &For| {
            plans.get(&f.id).is_some_and(|p| p.serial.is_none())
                && Names::of_block(&f.body).assigned.iter().any(|n| made(n))
        };
        if scope::any_loop(&f.body, &shared)
            || par::within(&f.body, &|id| plans.get(&id).cloned(), &reserve, &mut found).is_none()
        {
            return drop(self.findings.plans.remove(&f.id));
        }
        if let Some(order) = self.findings.plans.get_mut(&f.id).and_then(|p| p.serial.as_mut()) {
            (order.lanes, order.combining) = (found.lanes, found.combining);
            order.lanes.extend(&order.rotation.head.fills);
        }
    }

    /// Remembers a variable whose subscripts are bent into the array. That a name means several variables only costs proofs.
    pub(super) fn note_access(&mut self, name: &Text, written: &TypeExpr) {
        let access = self.types.resolve(written, &[], &mut Vec::new()).access;
        if matches!(access, Some(Access::Circular | Access::Mirror | Access::Clamped)) {
            self.bent.insert(name.clone());
        }
    }

    pub(super) fn note_declared(&mut self, target: &Expr, written: &TypeExpr) {
        if let ExprKind::Name(name) = &target.kind {
            self.note_access(name, written);
        }
    }

    /// A plain copy has the access mode of its source.
    pub(super) fn note_copy(&mut self, target: &Expr, value: &Expr) {
        if let (ExprKind::Name(to), ExprKind::Name(from)) = (&target.kind, &value.kind)
            && self.bent.contains(from)
        {
            self.bent.insert(to.clone());
        }
    }
}

/// Whether a loop may have more iterations than those that no launch is worth.
pub(super) fn has_many(f: &For, library: &Library) -> bool {
    const FEW: i64 = 64;
    literal_range(&f.over, library).is_none_or(|(_, _, count)| count > FEW)
}
