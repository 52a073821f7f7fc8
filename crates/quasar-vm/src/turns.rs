//! How often the loops within an iteration turn, from what is known before it runs.

use quadra_quasar_hir::meaning::{Library, Meaning, Measure};
use quadra_quasar_hir::par::Held;
use quadra_quasar_hir::par::lengths::is_number;
use quadra_quasar_syntax::ast::{BinaryOp, Expr, ExprKind, Stmt, StmtKind, UnaryOp};

/// What a loop is taken to have if its bounds are not known.
pub const TURNS: u64 = 8;

/// Turns of the loops in a body, one in another multiplied, of several the most. `value` says what variables hold.
pub fn of(body: &[Stmt], value: &dyn Fn(&str) -> Held, library: &Library) -> u64 {
    let statement = |s: &Stmt| match &s.kind {
        StmtKind::For(f) => {
            count(&f.over, value, library).unwrap_or(TURNS).max(1).saturating_mul(of(&f.body, value, library))
        }
        StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => TURNS.saturating_mul(of(body, value, library)),
        StmtKind::If { arms, otherwise } => {
            arms.iter().map(|a| of(&a.1, value, library)).chain([of(otherwise, value, library)]).max().unwrap_or(1)
        }
        StmtKind::Match { arms, .. } => arms.iter().map(|a| of(&a.body, value, library)).max().unwrap_or(1),
        _ => 1,
    };
    body.iter().map(statement).max().unwrap_or(1)
}

/// The items of a range.
fn count(over: &Expr, value: &dyn Fn(&str) -> Held, library: &Library) -> Option<u64> {
    let ExprKind::Range { from, step, to } = &over.kind else { return None };
    let step = step.as_ref().map_or(Some(1.0), |s| number(s, value, library))?;
    let turns = match (number(from, value, library), number(to, value, library)) {
        (Some(from), Some(to)) => (to - from) / step,
        // One end says of what size the other is.
        (Some(known), None) | (None, Some(known)) => (known / step).abs().max(TURNS as f64 - 1.0),
        _ => return None,
    };
    (step != 0.0).then(|| (turns.floor() + 1.0).max(0.0) as u64)
}

fn number(e: &Expr, value: &dyn Fn(&str) -> Held, library: &Library) -> Option<f64> {
    Some(match &e.kind {
        ExprKind::Int(v) => *v as f64,
        ExprKind::Float(v) => *v,
        ExprKind::Name(n) => match value(n) {
            Held::Number(x) => x,
            _ => return None,
        },
        ExprKind::Unary(UnaryOp::Neg, a) => -number(a, value, library)?,
        ExprKind::Binary(op, a, b) => {
            let (x, y) = (number(a, value, library)?, number(b, value, library)?);
            match op {
                BinaryOp::Add => x + y,
                BinaryOp::Sub => x - y,
                BinaryOp::Mul => x * y,
                BinaryOp::Div => x / y,
                _ => return None,
            }
        }
        // A conversion, or a length.
        ExprKind::Call { callee, args } => {
            let ExprKind::Name(f) = &callee.kind else {
                let converts = matches!(&callee.kind, ExprKind::Type(ty) if is_number(ty));
                return args.first().filter(|_| converts).and_then(|a| number(&a.value, value, library));
            };
            if let (Meaning::Measure(Measure::Elements), [array]) = (library.meaning(f), &args[..])
                && let ExprKind::Name(array) = &array.value.kind
                && let Held::Array(lengths, _) = value(array)
            {
                return Some(lengths.iter().product::<usize>() as f64);
            }
            let (Meaning::Measure(Measure::Lengths), [array, k]) = (library.meaning(f), &args[..]) else {
                return None;
            };
            let ExprKind::Name(array) = &array.value.kind else { return None };
            let (Held::Array(lengths, _), k) = (value(array), number(&k.value, value, library)?) else { return None };
            lengths.get(k as usize).copied().unwrap_or(1) as f64
        }
        _ => return None,
    })
}
