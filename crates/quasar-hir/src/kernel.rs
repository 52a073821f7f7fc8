//! What can be said about kernels without running them: the amount of shared memory, and barriers behind its allocation.

use super::scope::Names;
use crate::meaning::{Library, Meaning};
use quadra_base::quick::Map;
use quadra_base::{Diagnostic, Severity};
use quadra_quasar_syntax::ast::BinaryOp;
use quadra_quasar_syntax::ast::{Block, Expr, ExprKind, Function, Stmt, StmtKind, Text, TypeExprKind};

/// Shared memory of a block, in bytes.
const LIMIT: i64 = 48 * 1024;
/// Parameters of kernels that a launch fills in.
pub const SPECIAL: [&str; 6] = ["pos", "blkpos", "blkidx", "blkdim", "blkcnt", "warpsize"];

/// Upper bounds for allocations of shared memory whose sizes are bounded by assertions before them.
pub fn shared_bounds(f: &Function, library: &Library) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut bounds = Map::default();
    block(&f.body, library, &mut bounds, &mut found);
    found
}

/// Uses of memory from `shared_zeros` that no barrier separates from its allocation: the threads of a block fill it together.
pub fn unsynchronised_zeros(f: &Function, library: &Library) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    await_barrier(&f.body, library, &mut Vec::new(), &mut found);
    found
}

/// `fresh`: variables that hold such memory and no barrier was passed since.
fn await_barrier(body: &Block, library: &Library, fresh: &mut Vec<Text>, found: &mut Vec<Diagnostic>) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Sync { fence: false, .. } => fresh.clear(),
            StmtKind::Expr(Expr { kind: ExprKind::Assign { target, op: None, value }, .. }) => {
                check_use(value, library, fresh, found);
                match &target.kind {
                    ExprKind::Name(name) if is_shared_zeros(value, library) => fresh.push(name.clone()),
                    ExprKind::Name(name) => fresh.retain(|n| n != name),
                    _ => check_use(target, library, fresh, found),
                }
            }
            StmtKind::Expr(e) => check_use(e, library, fresh, found),
            StmtKind::For(f) => {
                check_use(&f.over, library, fresh, found);
                await_barrier(&f.body, library, fresh, found);
            }
            StmtKind::While { condition, body } | StmtKind::Repeat { body, condition } => {
                check_use(condition, library, fresh, found);
                await_barrier(body, library, fresh, found);
            }
            StmtKind::If { arms, otherwise } => {
                for (condition, body) in arms {
                    check_use(condition, library, fresh, found);
                    await_barrier(body, library, &mut fresh.clone(), found);
                }
                await_barrier(otherwise, library, &mut fresh.clone(), found);
            }
            StmtKind::Match { value, arms } => {
                check_use(value, library, fresh, found);
                arms.iter().for_each(|arm| await_barrier(&arm.body, library, &mut fresh.clone(), found));
            }
            _ => {}
        }
    }
}

fn check_use(e: &Expr, library: &Library, fresh: &mut Vec<Text>, found: &mut Vec<Diagnostic>) {
    // Asking for the size does not read the memory.
    if fresh.is_empty() || only_measures(e, library) {
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

fn only_measures(e: &Expr, library: &Library) -> bool {
    match &e.kind {
        ExprKind::Call { callee, .. } => library.calls(callee, Meaning::measures),
        ExprKind::Assign { value, .. } => only_measures(value, library),
        _ => false,
    }
}

fn is_shared_zeros(value: &Expr, library: &Library) -> bool {
    let ExprKind::Call { callee, .. } = &value.kind else { return false };
    match &callee.kind {
        ExprKind::Name(n) => library.meaning(n) == Meaning::Shared { zeros: true },
        ExprKind::Type(ty) => {
            matches!(&ty.kind, TypeExprKind::Named { name, .. } if library.meaning(name) == Meaning::Shared { zeros: true })
        }
        _ => false,
    }
}

fn block(body: &Block, library: &Library, bounds: &mut Map<Text, i64>, found: &mut Vec<Diagnostic>) {
    for stmt in body {
        statement(stmt, library, bounds, found);
    }
}

fn statement(stmt: &Stmt, library: &Library, bounds: &mut Map<Text, i64>, found: &mut Vec<Diagnostic>) {
    match &stmt.kind {
        StmtKind::Expr(Expr { kind: ExprKind::Call { callee, args }, .. })
            if library.calls(callee, |m| m == Meaning::Assert) =>
        {
            if let Some(condition) = args.first() {
                assume(&condition.value, bounds);
            }
        }
        StmtKind::Expr(Expr { kind: ExprKind::Assign { target, op: None, value }, .. }) => {
            allocation(value, library, bounds, found);
            if let ExprKind::Name(name) = &target.kind {
                bounds.remove(name);
            }
        }
        StmtKind::For(f) => block(&f.body, library, bounds, found),
        StmtKind::If { arms, otherwise } => {
            arms.iter().for_each(|(_, b)| block(b, library, &mut bounds.clone(), found));
            block(otherwise, library, &mut bounds.clone(), found);
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

fn element_bytes(callee: &Expr, library: &Library) -> Option<i64> {
    match &callee.kind {
        ExprKind::Name(n) if library.meaning(n).is_shared() => Some(4),
        ExprKind::Type(ty) => match &ty.kind {
            TypeExprKind::Named { name, element: Some(element), .. } if library.meaning(name).is_shared() => {
                match &element.kind {
                    TypeExprKind::Named { name, .. } => Some(match &**name {
                        "int8" | "uint8" => 1,
                        "int16" | "uint16" => 2,
                        "int64" | "uint64" | "cscalar" => 8,
                        _ => 4,
                    }),
                    _ => Some(4),
                }
            }
            _ => None,
        },
        _ => None,
    }
}

fn allocation(value: &Expr, library: &Library, bounds: &Map<Text, i64>, found: &mut Vec<Diagnostic>) {
    let ExprKind::Call { callee, args } = &value.kind else { return };
    let Some(width) = element_bytes(callee, library) else { return };
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
