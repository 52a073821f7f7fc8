//! How often variables are assigned, which decides whether they need variables of the kernel IR.

use crate::sema::scope::Names;
use crate::syntax::ast::{Block, Expr, ExprKind, StmtKind, Text};
use std::collections::HashMap;

/// How often each variable is assigned. A variable that is assigned once, and not in a `repeat`, has one value wherever it may
/// be read.
pub(super) fn count(body: &Block, weight: u32, out: &mut HashMap<Text, u32>) {
    let mut expr = |e: &Expr, weight: u32| {
        for name in Names::of_expr(e).assigned {
            *out.entry(name).or_default() += weight;
        }
        // An array whose elements are assigned changes, too.
        element_targets(e, &mut |name| *out.entry(name.clone()).or_default() += 2);
    };
    let mut inner: Vec<(&Block, u32)> = Vec::new();
    for stmt in body {
        match &stmt.kind {
            StmtKind::Expr(e) => expr(e, weight),
            StmtKind::If { arms, otherwise } => {
                arms.iter().for_each(|(c, _)| expr(c, 2));
                inner.extend(arms.iter().map(|(_, b)| (b, weight)).chain([(otherwise, weight)]));
            }
            StmtKind::For(f) => inner.push((&f.body, weight)),
            StmtKind::While { condition, body } => {
                expr(condition, 2);
                inner.push((body, weight));
            }
            StmtKind::Repeat { body, condition } => {
                expr(condition, 2);
                inner.push((body, 2));
            }
            StmtKind::Match { arms, .. } => inner.extend(arms.iter().map(|a| (&a.body, weight))),
            _ => {}
        }
    }
    for (block, weight) in inner {
        count(block, weight, out);
    }
}

/// Names of arrays of which an expression assigns elements.
fn element_targets(e: &Expr, found: &mut dyn FnMut(&Text)) {
    match &e.kind {
        ExprKind::Assign { target, value, .. } => {
            if let ExprKind::Index { base, .. } = &target.kind
                && let ExprKind::Name(name) = &base.kind
            {
                found(name);
            }
            element_targets(value, found);
        }
        ExprKind::MultiAssign { targets, .. } => {
            for target in targets {
                if let ExprKind::Index { base, .. } = &target.kind
                    && let ExprKind::Name(name) = &base.kind
                {
                    found(name);
                }
            }
        }
        ExprKind::Sequence(items) => items.iter().for_each(|i| element_targets(i, found)),
        ExprKind::Declare { value: Some(v), .. } => element_targets(v, found),
        _ => {}
    }
}
