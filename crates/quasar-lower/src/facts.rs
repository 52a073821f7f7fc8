//! What is known about integer variables at a place: bounds, and which of two variables is the greater one. Conditions of loops
//! and branches give facts, assignments take them away. They spare tests for overflow: under `while k < n`, `k += 1` fits.
//!
//! Beyond that, lowering a loop of the host may suppose that integers read from arrays lie between 0 and [`MOST`], which the
//! kernel tests once where they are read, and that a variable never leaves these bounds. The latter is checked at every
//! assignment: a variable that breaks it is put on a list and the loop lowered again without supposing so.

use super::value::Num;
use quadra_base::quick::{Map, Set};
use quadra_kir::{Bounds, Var};
use quadra_quasar_syntax::ast::Text;

/// The greatest integer that is supposed: the sum of two of them still fits.
pub(super) const MOST: i64 = (1 << 30) - 1;

/// Facts about variables of the kernel IR.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    pub bounds: Map<Var, Bounds>,
    /// The first is greater than the second by at least so much.
    pub greater: Vec<(Var, Var, i64)>,
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
    pub fn current(&self, n: &Num) -> Option<Var> {
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

    /// The variable lies within these bounds.
    pub fn bound(&mut self, var: Var, to: Bounds) {
        let entry = self.bounds.entry(var).or_insert(Bounds::ANY);
        *entry = entry.meet(to);
    }
}
