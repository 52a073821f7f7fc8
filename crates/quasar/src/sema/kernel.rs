//! What can be said about kernels without running them: the amount of shared memory, and barriers behind its allocation.

use super::scope::Names;
use crate::host::lib::{Meaning, meaning};
use crate::par::callable::is_shared;
use quadra_base::quick::Map;
use quadra_base::{Diagnostic, Severity};
use quadra_quasar_syntax::ast::BinaryOp;
use quadra_quasar_syntax::ast::{Block, Expr, ExprKind, Function, Stmt, StmtKind, Text, TypeExprKind};

/// Shared memory of a block, in bytes.
const LIMIT: i64 = 48 * 1024;

/// Upper bounds for allocations of shared memory whose sizes are bounded by assertions before them.
pub fn shared_bounds(f: &Function) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut bounds = Map::default();
    block(&f.body, &mut bounds, &mut found);
    found
}

/// Uses of memory from `shared_zeros` that no barrier separates from its allocation: the threads of a block fill it together.
pub fn unsynchronised_zeros(f: &Function) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    await_barrier(&f.body, &mut Vec::new(), &mut found);
    found
}

/// `fresh`: variables that hold such memory and no barrier was passed since.
fn await_barrier(body: &Block, fresh: &mut Vec<Text>, found: &mut Vec<Diagnostic>) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Sync { fence: false, .. } => fresh.clear(),
            StmtKind::Expr(Expr { kind: ExprKind::Assign { target, op: None, value }, .. }) => {
                check_use(value, fresh, found);
                match &target.kind {
                    ExprKind::Name(name) if is_shared_zeros(value) => fresh.push(name.clone()),
                    ExprKind::Name(name) => fresh.retain(|n| n != name),
                    _ => check_use(target, fresh, found),
                }
            }
            StmtKind::Expr(e) => check_use(e, fresh, found),
            StmtKind::For(f) => {
                check_use(&f.over, fresh, found);
                await_barrier(&f.body, fresh, found);
            }
            StmtKind::While { condition, body } | StmtKind::Repeat { body, condition } => {
                check_use(condition, fresh, found);
                await_barrier(body, fresh, found);
            }
            StmtKind::If { arms, otherwise } => {
                for (condition, body) in arms {
                    check_use(condition, fresh, found);
                    await_barrier(body, &mut fresh.clone(), found);
                }
                await_barrier(otherwise, &mut fresh.clone(), found);
            }
            StmtKind::Match { value, arms } => {
                check_use(value, fresh, found);
                arms.iter().for_each(|arm| await_barrier(&arm.body, &mut fresh.clone(), found));
            }
            _ => {}
        }
    }
}

fn check_use(e: &Expr, fresh: &mut Vec<Text>, found: &mut Vec<Diagnostic>) {
    // Asking for the size does not read the memory.
    if fresh.is_empty() || only_measures(e) {
        return;
    }
    let names = Names::of_expr(e);
    fresh.retain(|name| {
        let used = names.mentions(name) || names.assigns(name);
        if used {
            let message = format!("'{name}' from shared_zeros is used before a barrier");
            let help = "put 'syncthreads' after shared_zeros: the threads of a block fill the memory together";
            found.push(Diagnostic::warning("Q0432", message).at(e.span).help(help));
        }
        !used
    });
}

fn only_measures(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Call { callee, .. } => {
            matches!(&callee.kind, ExprKind::Name(n) if meaning(n).measures())
        }
        ExprKind::Assign { value, .. } => only_measures(value),
        _ => false,
    }
}

fn is_shared_zeros(value: &Expr) -> bool {
    let ExprKind::Call { callee, .. } = &value.kind else { return false };
    match &callee.kind {
        ExprKind::Name(n) => meaning(n) == Meaning::Shared { zeros: true },
        ExprKind::Type(ty) => {
            matches!(&ty.kind, TypeExprKind::Named { name, .. } if meaning(name) == Meaning::Shared { zeros: true })
        }
        _ => false,
    }
}

fn block(body: &Block, bounds: &mut Map<Text, i64>, found: &mut Vec<Diagnostic>) {
    for stmt in body {
        statement(stmt, bounds, found);
    }
}

fn statement(stmt: &Stmt, bounds: &mut Map<Text, i64>, found: &mut Vec<Diagnostic>) {
    match &stmt.kind {
        StmtKind::Expr(Expr { kind: ExprKind::Call { callee, args }, .. }) if matches!(&callee.kind, ExprKind::Name(n) if meaning(n) == Meaning::Assert) => {
            if let Some(condition) = args.first() {
                assume(&condition.value, bounds);
            }
        }
        StmtKind::Expr(Expr { kind: ExprKind::Assign { target, op: None, value }, .. }) => {
            allocation(value, bounds, found);
            if let ExprKind::Name(name) = &target.kind {
                bounds.remove(name);
            }
        }
        StmtKind::For(f) => block(&f.body, bounds, found),
        StmtKind::If { arms, otherwise } => {
            arms.iter().for_each(|(_, b)| block(b, &mut bounds.clone(), found));
            block(otherwise, &mut bounds.clone(), found);
        }
        _ => {}
    }
}

/// `M < c` and `M <= c` bound M by c.
fn assume(condition: &Expr, bounds: &mut Map<Text, i64>) {
    match &condition.kind {
        ExprKind::And(a, b) => {
            assume(a, bounds);
            assume(b, bounds);
        }
        ExprKind::Binary(BinaryOp::Lt | BinaryOp::Le, a, b) => {
            if let (ExprKind::Name(name), ExprKind::Int(limit)) = (&a.kind, &b.kind) {
                bounds.insert(name.clone(), *limit);
            }
        }
        _ => {}
    }
}

fn element_bytes(callee: &Expr) -> Option<i64> {
    match &callee.kind {
        ExprKind::Name(n) if is_shared(n) => Some(4),
        ExprKind::Type(ty) => match &ty.kind {
            TypeExprKind::Named { name, element: Some(element), .. } if is_shared(name) => match &element.kind {
                TypeExprKind::Named { name, .. } => Some(match &**name {
                    "int8" | "uint8" => 1,
                    "int16" | "uint16" => 2,
                    "int64" | "uint64" | "cscalar" => 8,
                    _ => 4,
                }),
                _ => Some(4),
            },
            _ => None,
        },
        _ => None,
    }
}

fn allocation(value: &Expr, bounds: &Map<Text, i64>, found: &mut Vec<Diagnostic>) {
    let ExprKind::Call { callee, args } = &value.kind else { return };
    let Some(width) = element_bytes(callee) else { return };
    let mut bytes = width;
    let mut bounded = false;
    for arg in args {
        let n = match &arg.value.kind {
            ExprKind::Int(n) => Some(*n),
            ExprKind::Name(name) => {
                bounded = true;
                bounds.get(name).copied()
            }
            _ => None,
        };
        let Some(n) = n else { return };
        bytes = bytes.saturating_mul(n);
    }
    if bytes > LIMIT {
        let message = format!("{bytes} bytes of shared memory, a block has {LIMIT}");
        found.push(Diagnostic::error("Q0423", message).at(value.span).help("use smaller blocks or arrays"));
    } else if bounded {
        let message = format!("calculated an upper bound for the amount of shared memory: {bytes} bytes");
        let mut note = Diagnostic::warning("Q0430", message).at(value.span);
        note.severity = Severity::Note;
        found.push(note);
    }
}
