//! Learning facts about variables from conditions, and taking them away at assignments.

use super::facts::MOST;
use super::state::{Lower, Slot};
use super::value::{Num, Val};
use quadra_kir::Bounds;
use quadra_quasar_hir::scope::Names;
use quadra_quasar_syntax::ast::{BinaryOp, Block, Expr, ExprKind, Text};

impl Lower<'_> {
    /// Forgets everything about variables that a block assigns.
    pub fn forget_assigned(&mut self, block: &Block) {
        self.note_written_in(block);
        for name in Names::of_block(block).assigned {
            if let Some(Slot::Number(_, var, _)) = self.frame().vars.get(&name).cloned() {
                self.facts.forget(var);
            }
        }
    }

    /// Learns from a condition that holds here, or that does not.
    pub fn learn(&mut self, condition: &Expr, holds: bool) {
        // What a condition compared before it assigned something need not hold behind it.
        if Names::of_expr(condition).assigned.is_empty() {
            self.learn_pure(condition, holds);
        }
    }

    fn learn_pure(&mut self, condition: &Expr, holds: bool) {
        match &condition.kind {
            ExprKind::And(a, b) if holds => {
                self.learn_pure(a, true);
                self.learn_pure(b, true);
            }
            ExprKind::Or(a, b) if !holds => {
                self.learn_pure(a, false);
                self.learn_pure(b, false);
            }
            ExprKind::Binary(op, a, b) => {
                let op = match (op, holds) {
                    (BinaryOp::Lt, true) | (BinaryOp::Ge, false) => BinaryOp::Lt,
                    (BinaryOp::Le, true) | (BinaryOp::Gt, false) => BinaryOp::Le,
                    (BinaryOp::Gt, true) | (BinaryOp::Le, false) => return self.less(b, a, 1),
                    (BinaryOp::Ge, true) | (BinaryOp::Lt, false) => return self.less(b, a, 0),
                    _ => return,
                };
                self.less(a, b, i64::from(op == BinaryOp::Lt));
            }
            _ => {}
        }
    }

    /// `a + by <= b`.
    fn less(&mut self, a: &Expr, b: &Expr, by: i64) {
        let (Some(x), Some(y)) = (self.glance(a), self.glance(b)) else { return };
        if let (Some(x), Some(y)) = (self.facts.current(&x), self.facts.current(&y)) {
            self.facts.greater.push((y, x, by));
        }
        let far = |v: Option<Bounds>| v.unwrap_or(Bounds::ANY);
        if let Some(var) = self.facts.current(&x) {
            self.facts.bound(var, Bounds { high: far(y.range).high - by, ..Bounds::ANY });
        }
        if let Some(var) = self.facts.current(&y) {
            self.facts.bound(var, Bounds { low: far(x.range).low + by, ..Bounds::ANY });
        }
    }

    /// The integer that a name or a constant stands for.
    fn glance(&mut self, e: &Expr) -> Option<Num> {
        let n = match &e.kind {
            ExprKind::Int(v) => self.int(*v),
            ExprKind::Name(name) => match self.variable_value(name).ok()?? {
                Val::Num(n) => n,
                _ => return None,
            },
            _ => return None,
        };
        (n.kind == quadra_quasar_vm::arith::Kind::Int).then_some(n)
    }

    /// An integer that was read from the variable `name`, with what is known and supposed of it.
    pub fn remembered(&mut self, name: &Text, n: Num) -> Num {
        if n.kind != quadra_quasar_vm::arith::Kind::Int || n.var.is_none() {
            return n;
        }
        let known = n.var.and_then(|v| self.facts.bounds(v.0));
        let supposed = (self.supposed.on && self.frames.len() == 1 && !self.supposed.not.contains(name))
            .then_some(Bounds::new(0, MOST));
        let range = match (known, supposed) {
            (Some(a), Some(b)) => Some(a.meet(b)),
            (a, b) => a.or(b),
        };
        // An empty range means code that never runs.
        Num { range: range.filter(|r| r.low <= r.high).or(n.range), ..n }
    }

    /// A variable is assigned: whether that is what was supposed of it.
    pub fn keeps_supposed(&mut self, name: &Text, v: &Val) {
        if !self.supposed.on || self.frames.len() != 1 || self.supposed.not.contains(name) {
            return;
        }
        let Val::Num(n) = v else { return };
        if n.kind == quadra_quasar_vm::arith::Kind::Int && n.range.is_none_or(|r| !r.within(0, MOST)) {
            self.supposed.broken.insert(name.clone());
        }
    }
}
