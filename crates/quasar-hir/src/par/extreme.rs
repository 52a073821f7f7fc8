//! Extremes with what belongs to them: `if x[i] > best`, and `best = x[i]`, `pos = i` in it. Each lane keeps the best of its
//! own iterations and the number of the one it is from, so that the host finds the one that is the best of all, the first or the
//! last of them as the comparison has it.

use super::body::Body;
use super::pattern::comparison;
use super::program::Program;
use crate::scope::Names;
use quadra_quasar_syntax::ast::{BinaryOp, Block, Expr, ExprKind, Stmt, StmtKind, Text};
use quadra_quasar_syntax::pretty;
use std::collections::HashSet;

/// A variable that keeps the greatest or smallest value, and those that are set together with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Extreme {
    pub name: Text,
    /// The greatest value, not the smallest.
    pub greatest: bool,
    /// Of equal values the last one counts.
    pub last: bool,
    pub with: Vec<Text>,
}

impl Extreme {
    /// For the text of the verdict.
    pub fn text(&self) -> String {
        let sign = if self.greatest { '>' } else { '<' };
        format!(", reduction({sign}) on {} with {}", self.name, self.with.join(", "))
    }
}

/// What stands in the branch of an extreme.
struct Found<'e> {
    extreme: Extreme,
    compared: &'e Expr,
    /// Values of the variables that are set together with it.
    values: Vec<&'e Expr>,
}

/// `name = value`.
fn plain(stmt: &Stmt) -> Option<(&Text, &Expr)> {
    let StmtKind::Expr(Expr { kind: ExprKind::Assign { target, op: None, value }, .. }) = &stmt.kind else {
        return None;
    };
    if let ExprKind::Name(name) = &target.kind { Some((name, value)) } else { None }
}

fn find<'e>(arms: &'e [(Expr, Block)]) -> Option<Found<'e>> {
    let [(condition, body)] = arms else { return None };
    let all: Vec<(&Text, &Expr)> = body.iter().map(plain).collect::<Option<_>>()?;
    let (at, compared, greatest) = all.iter().enumerate().find_map(|(at, (name, value))| {
        let (e, greater) = comparison(name, condition)?;
        (pretty::expression(e) == pretty::expression(value)).then_some((at, e, greater))
    })?;
    let name = all[at].0.clone();
    let last = matches!(&condition.kind, ExprKind::Binary(BinaryOp::Ge | BinaryOp::Le, ..));
    let others: Vec<(&Text, &Expr)> = all.iter().enumerate().filter(|(n, _)| *n != at).map(|(_, p)| *p).collect();
    let with: Vec<Text> = others.iter().map(|o| o.0.clone()).collect();
    let values: Vec<&Expr> = others.iter().map(|o| o.1).collect();
    let set = |n: &Text| *n == name || with.contains(n);
    let free = |e: &Expr| {
        let names = Names::of_expr(e);
        names.changes_nothing() && !names.mentioned.iter().any(set)
    };
    let different = with.iter().collect::<HashSet<_>>().len() == with.len() && !with.contains(&name);
    let fine = !with.is_empty() && different && free(compared) && values.iter().all(|e| free(e));
    let extreme = Extreme { name, greatest, last, with };
    fine.then_some(Found { extreme, compared, values })
}

impl Body<'_> {
    /// Notes a branch that keeps an extreme and what belongs to it, if that is all it does, and its variables are those of the loop
    /// and not of the iteration.
    pub(super) fn keeps_extreme(
        &mut self,
        arms: &[(Expr, Block)],
        otherwise: &Block,
        defined: &mut HashSet<Text>,
        program: &mut dyn Program,
    ) -> bool {
        let Some(Found { extreme, compared, values }) = find(arms).filter(|_| otherwise.is_empty()) else {
            return false;
        };
        let own = |n: &Text| defined.contains(n) || self.loops.contains(n);
        if own(&extreme.name) || extreme.with.iter().any(own) {
            return false;
        }
        self.expr(compared, defined, program);
        values.iter().for_each(|e| self.expr(e, defined, program));
        self.check_type(&extreme.name);
        for name in &extreme.with {
            self.scalar(name).follows += 1;
        }
        let scalar = self.scalar(&extreme.name);
        scalar.updates.insert(if extreme.greatest { 'G' } else { 'L' });
        // A second branch may keep something else with it.
        scalar.plain_write |= scalar.extreme.is_some();
        scalar.extreme = Some(extreme);
        true
    }
}
