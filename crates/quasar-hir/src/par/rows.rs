//! Which of two parallel loops, one within the other, is the one whose iterations are lanes where a worker runs the rest in order: the
//! one along whose variable elements lie next to each other.

use super::{Plan, innermost};
use crate::scope::Names;
use quadra_quasar_syntax::ast::{Block, For, NodeId, StmtKind, Text};

/// The loops directly within `f` that go along rows, if all loops there do and what they store is all that they leave: then they are
/// lanes, and not the iterations of `f`. `plan` knows how loops within a parallel one are carried out.
pub(super) fn of(f: &For, plan: &dyn Fn(NodeId) -> Option<Plan>) -> Option<Vec<NodeId>> {
    let mut found = Vec::new();
    for stmt in &f.body {
        let StmtKind::For(inner) = &stmt.kind else {
            if crate::scope::any_loop(&vec![stmt.clone()], &|_| true) {
                return None;
            }
            continue;
        };
        let plan = plan(inner.id).filter(Plan::only_stores)?;
        let last = innermost(inner, plan.depth)?;
        if crate::scope::any_loop(&last.body, &|_| true) || !is_along(&last.body, &last.name, &f.name) {
            return None;
        }
        found.push(last.id);
    }
    (!found.is_empty()).then_some(found)
}

/// Whether the last subscripts of elements in a block name one variable, and never the other.
fn is_along(block: &Block, variable: &Text, other: &Text) -> bool {
    let last = |name: &Text| {
        super::pattern::any_index(block, &|items| items.last().is_some_and(|i| Names::of_expr(i).mentions(name)))
    };
    last(variable) && !last(other)
}
