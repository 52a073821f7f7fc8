//! Variables of inner loops whose last value the text says, so that no iteration need keep it for those who look at it behind
//! the loop.

use super::pattern::continues;
use crate::scope::Names;
use quadra_quasar_syntax::ast::{Block, Expr, ExprKind, For, Stmt, StmtKind, Text, UnaryOp};
use std::collections::HashMap;

/// Variables of loops in a body that hold the same known value behind it in every iteration, with that value: every iteration
/// comes by those loops, and nothing else assigns the variables.
pub fn counters(body: &Block) -> HashMap<Text, i64> {
    let mut found = Vec::new();
    if !continues(body) && !breaks(body) {
        gather(body, &mut found);
    }
    let mut all = Vec::new();
    assigned(body, &mut all);
    let same = |name: &Text, last: i64| found.iter().filter(|f| f.0 == *name && f.1 == last).count();
    let only = |(name, last): &&(Text, i64)| same(name, *last) == all.iter().filter(|n| *n == name).count();
    found.iter().filter(only).cloned().collect()
}

/// The loops that run whatever happens, and what they leave in their variables.
fn gather(block: &Block, out: &mut Vec<(Text, i64)>) {
    for stmt in block {
        if let StmtKind::For(f) = &stmt.kind
            && let Some(last) = last(f)
        {
            out.push((f.name.clone(), last));
            if !continues(&f.body) {
                gather(&f.body, out);
            }
        }
    }
}

/// The names that statements assign, each as often as it is assigned.
pub(super) fn assigned(block: &Block, out: &mut Vec<Text>) {
    let expr = |e: &Expr, out: &mut Vec<Text>| out.extend(Names::of_expr(e).assigned);
    for stmt in block {
        match &stmt.kind {
            StmtKind::For(f) => {
                out.push(f.name.clone());
                expr(&f.over, out);
                assigned(&f.body, out);
            }
            StmtKind::If { arms, otherwise } => {
                for (condition, body) in arms {
                    expr(condition, out);
                    assigned(body, out);
                }
                assigned(otherwise, out);
            }
            StmtKind::While { condition, body } | StmtKind::Repeat { body, condition } => {
                expr(condition, out);
                assigned(body, out);
            }
            _ => out.extend(Names::of_block(&vec![stmt.clone()]).assigned),
        }
    }
}

/// Whether a body leaves its loop early: by a `break` of its own, not of a loop in it, or by `return`.
pub(super) fn breaks(body: &Block) -> bool {
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break | StmtKind::Return => true,
        StmtKind::If { arms, otherwise } => arms.iter().any(|a| breaks(&a.1)) || breaks(otherwise),
        StmtKind::Match { arms, .. } => arms.iter().any(|a| breaks(&a.body)),
        _ => returns(std::slice::from_ref(stmt)),
    })
}

/// Whether statements end the function, in loops among them, too.
pub(super) fn returns(statements: &[Stmt]) -> bool {
    statements.iter().any(|stmt| match &stmt.kind {
        StmtKind::Return => true,
        StmtKind::If { arms, otherwise } => arms.iter().any(|a| returns(&a.1)) || returns(otherwise),
        StmtKind::Match { arms, .. } => arms.iter().any(|a| returns(&a.body)),
        StmtKind::For(f) => returns(&f.body),
        StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => returns(body),
        _ => false,
    })
}

/// What the variable of a loop holds behind it, whatever happens: the loop has constant bounds and at least one iteration, and
/// its body neither leaves it nor assigns the variable.
fn last(f: &For) -> Option<i64> {
    let literal = |e: &Expr| {
        let v = match &e.kind {
            ExprKind::Int(v) => *v,
            ExprKind::Unary(UnaryOp::Neg, a) if let ExprKind::Int(v) = a.kind => -v,
            _ => return None,
        };
        Some(v).filter(|v| v.abs() < 1 << 30)
    };
    let ExprKind::Range { from, step, to } = &f.over.kind else { return None };
    let (from, to) = (literal(from)?, literal(to)?);
    let step = step.as_ref().map_or(Some(1), |s| literal(s)).filter(|s| *s != 0)?;
    let steps = (to - from).checked_div(step).filter(|n| *n >= 0 && (to == from || (to > from) == (step > 0)))?;
    let kept = !breaks(&f.body) && !Names::of_block(&f.body).assigns(&f.name);
    kept.then_some(from + steps * step)
}
