//! What the text of a function says at a glance: how often variables are assigned, which decides whether they need variables
//! of the kernel IR, and whether the items of a block work together.

use quadra_base::quick::Map;
use quadra_quasar_hir::scope::Names;
use quadra_quasar_syntax::ast::{Block, Expr, ExprKind, Stmt, StmtKind, Text};

/// How often each variable is assigned. A variable that is assigned once, and not in a `repeat`, has one value wherever it may
/// be read.
pub(super) fn count(body: &Block, weight: u32, out: &mut Map<Text, u32>) {
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

/// Whether a body has a barrier or allocates shared memory.
pub(super) fn synchronises(body: &Block) -> bool {
    let names = Names::of_block(body);
    names.mentioned.iter().any(|n| quadra_quasar_vm::builtins::meaning(n).is_shared())
        || barrier(body)
        || body.iter().any(allocates)
}

fn allocates(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::Expr(e) if typed_shared(e))
}

/// Whether a barrier stands in these statements.
pub(super) fn barrier(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::Sync { fence, .. } => !fence,
        StmtKind::If { arms, otherwise } => arms.iter().any(|a| barrier(&a.1)) || barrier(otherwise),
        StmtKind::For(f) => barrier(&f.body),
        StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => barrier(body),
        StmtKind::Match { arms, .. } => arms.iter().any(|a| barrier(&a.body)),
        _ => false,
    })
}

/// `x = shared[T](…)`.
fn typed_shared(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Assign { value, .. } => typed_shared(value),
        ExprKind::Declare { value: Some(v), .. } => typed_shared(v),
        ExprKind::Call { callee, .. } => matches!(&callee.kind, ExprKind::Type(_)),
        _ => false,
    }
}

/// Names of arrays of which statements assign elements.
pub(super) fn elements(body: &Block) -> Vec<Text> {
    let mut counts = Map::default();
    count(body, 1, &mut counts);
    counts.into_keys().collect()
}
