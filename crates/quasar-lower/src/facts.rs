//! What is known about integer variables at a place: bounds, and which of two variables is the greater one. Conditions of loops
//! and branches give facts, assignments take them away. They spare tests for overflow: under `while k < n`, `k += 1` fits.
//!
//! Beyond that, lowering a loop of the host may suppose that integers read from arrays lie between 0 and [`MOST`], which the
//! kernel tests once where they are read, and that a variable never leaves these bounds. The latter is checked at every
//! assignment: a variable that breaks it is put on a list and the loop lowered again without supposing so.

use super::state::{Lower, Slot};
use super::value::{Num, Val};
use quadra_base::quick::{Map, Set};
use quadra_kir::{Bounds, Var};
use quadra_quasar_hir::scope::Names;
use quadra_quasar_syntax::ast::{BinaryOp, Block, Expr, ExprKind, Text};

/// The greatest integer that is supposed: the sum of two of them still fits.
pub(super) const MOST: i64 = (1 << 30) - 1;

/// Facts about variables of the kernel IR.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    bounds: Map<Var, Bounds>,
    /// The first is greater than the second by at least so much.
    greater: Vec<(Var, Var, i64)>,
    changes: Map<Var, u32>,
}

/// What lowering supposes about the integers of a loop.
#[derive(Clone, Debug, Default)]
pub(super) struct Supposed {
    /// Integers of arrays are tested where they are read.
    pub on: bool,
    /// Variables that do not keep within the bounds.
    pub not: Set<Text>,
    /// More of them, found by this attempt.
    pub broken: Set<Text>,
}

impl Facts {
    pub fn bounds(&self, var: Var) -> Option<Bounds> {
        self.bounds.get(&var).copied()
    }

    /// By how much one number is certainly greater than another.
    pub fn difference(&self, x: &Num, y: &Num) -> Option<i64> {
        let (x, y) = (self.current(x)?, self.current(y)?);
        self.greater.iter().filter(|g| g.0 == x && g.1 == y).map(|g| g.2).max()
    }

    /// How often a variable has changed so far.
    pub fn changes(&self, var: Var) -> u32 {
        self.changes.get(&var).copied().unwrap_or(0)
    }

    /// The variable that a number was read from, if it still has that value.
    fn current(&self, n: &Num) -> Option<Var> {
        n.var.filter(|(var, changes)| self.changes(*var) == *changes).map(|v| v.0)
    }

    /// What holds in both of two states behind a branch; variables count as changed if they changed in either.
    pub fn joined(mut self, other: &Facts) -> Facts {
        self.bounds.retain(|var, b| {
            other.bounds.get(var).is_some_and(|o| {
                *b = b.join(*o);
                true
            })
        });
        self.greater.retain(|g| other.greater.contains(g));
        for (var, n) in &other.changes {
            let own = self.changes.entry(*var).or_default();
            *own = (*own).max(*n);
        }
        // Both may have changed a variable equally often.
        self.changes.values_mut().for_each(|n| *n += 1);
        self
    }

    /// The variable has another value from here on.
    pub fn forget(&mut self, var: Var) {
        *self.changes.entry(var).or_default() += 1;
        self.bounds.remove(&var);
        self.greater.retain(|g| g.0 != var && g.1 != var);
    }

    fn bound(&mut self, var: Var, to: Bounds) {
        let entry = self.bounds.entry(var).or_insert(Bounds::ANY);
        *entry = entry.meet(to);
    }
}

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
