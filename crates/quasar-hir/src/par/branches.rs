//! What a loop's body does in its branches and in loops within it.

use super::body::Body;
use super::counter::breaks;
use super::pattern::{common, continues};
use super::program::Program;
use crate::scope::Names;
use quadra_quasar_syntax::ast::{Block, Expr, For, Text};
use std::collections::HashSet;

impl Body<'_> {
    /// What all branches set is set behind them.
    pub(super) fn branches(
        &mut self,
        arms: &[(Expr, Block)],
        otherwise: &Block,
        defined: &mut HashSet<Text>,
        program: &mut dyn Program,
    ) {
        let mut ends = Vec::new();
        let outside = self.guards.len();
        for (condition, body) in arms {
            self.expr(condition, defined, program);
            let mut inner = defined.clone();
            self.guards.push((condition.clone(), true));
            self.block(body, &mut inner, program);
            if let Some(last) = self.guards.last_mut() {
                last.1 = false;
            }
            ends.push(inner);
        }
        let mut inner = defined.clone();
        self.block(otherwise, &mut inner, program);
        self.guards.truncate(outside);
        ends.push(inner);
        defined.extend(common(ends));
    }

    /// A `for` within.
    pub(super) fn counted(&mut self, f: &For, defined: &mut HashSet<Text>, program: &mut dyn Program) {
        self.expr(&f.over, defined, program);
        self.write_scalar(&f.name);
        self.inner_variables.insert(f.name.clone());
        let mut inner = defined.clone();
        inner.insert(f.name.clone());
        self.inner_loops += 1;
        self.inner_heads.push((f.name.clone(), f.over.clone()));
        self.open.push(f.name.clone());
        // Conditions on a variable of this name that had another value.
        let outside = self.guards.clone();
        self.guards.retain(|g| !Names::of_expr(&g.0).mentions(&f.name));
        self.block(&f.body, &mut inner, program);
        self.guards = outside;
        self.open.pop();
        self.inner_loops -= 1;
    }

    /// A `repeat` within, whose body runs once at least.
    pub(super) fn repeated(
        &mut self,
        body: &Block,
        condition: &Expr,
        defined: &mut HashSet<Text>,
        program: &mut dyn Program,
    ) {
        // What stands behind a `break` or `continue` may not have run.
        let mut inner = defined.clone();
        self.inner_loops += 1;
        self.block(body, &mut inner, program);
        self.inner_loops -= 1;
        let early = continues(body);
        self.expr(condition, if early { &mut *defined } else { &mut inner }, program);
        if !early && !breaks(body) {
            *defined = inner;
        }
    }
}
