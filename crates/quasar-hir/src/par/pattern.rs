//! Patterns of statements and expressions that the analysis looks for.

use crate::meaning::{Library, Meaning};
use crate::op2::Op2;
use crate::scope::Names;
use quadra_quasar_syntax::ast::{BinaryOp, Block, Expr, ExprKind, Stmt, StmtKind, Text};
use quadra_quasar_syntax::pretty;
use std::collections::HashSet;

/// Updates of one class may be combined in any order.
pub fn class(op: BinaryOp) -> Option<char> {
    Some(match op {
        BinaryOp::Add | BinaryOp::Sub => '+',
        BinaryOp::Mul | BinaryOp::ElemMul => '*',
        BinaryOp::Max => '>',
        BinaryOp::Min => '<',
        BinaryOp::BitAnd => '&',
        BinaryOp::BitOr => '|',
        BinaryOp::BitXor => '~',
        _ => return None,
    })
}

/// How verdicts write a class.
pub fn sign(class: char) -> String {
    match class {
        'A' => "&&".into(),
        'O' => "||".into(),
        c => c.into(),
    }
}

/// `v = v op e`, `v = e op v`, `v = max(v, e)` and the like: the class and `e`.
pub fn reduction<'e>(name: &Text, value: &'e Expr, library: &Library) -> Option<(char, &'e Expr)> {
    let is_v = |e: &Expr| matches!(&e.kind, ExprKind::Name(n) if n == name);
    // What may be left out, or is there twice, must not change anything.
    let free = |e: &Expr| {
        let names = Names::of_expr(e);
        !names.mentions(name) && names.changes_nothing()
    };
    let (class, a, b, ordered) = match &value.kind {
        ExprKind::Ternary(c, a, b) => {
            let (e, flipped) = if is_v(b) { (&**a, false) } else { (&**b, true) };
            let (compared, greater) = comparison(name, c)?;
            let same = pretty::expression(e) == pretty::expression(compared);
            let class = if greater != flipped { '>' } else { '<' };
            return (is_v(a) != is_v(b) && same && free(e)).then_some((class, e));
        }
        ExprKind::And(a, b) => ('A', &**a, &**b, false),
        ExprKind::Or(a, b) => ('O', &**a, &**b, false),
        ExprKind::Binary(op, a, b) => {
            let ordered = matches!(op, BinaryOp::Sub);
            if !matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::ElemMul) {
                return None;
            }
            (class(*op)?, &**a, &**b, ordered)
        }
        ExprKind::Call { callee, args } => {
            let class = match &callee.kind {
                ExprKind::Name(n) => match library.meaning(n).combines()? {
                    Op2::Max => '>',
                    Op2::Min => '<',
                    Op2::And => '&',
                    Op2::Or => '|',
                    Op2::Xor => '~',
                    _ => return None,
                },
                _ => return None,
            };
            let [a, b] = &args[..] else { return None };
            (class, &a.value, &b.value, false)
        }
        _ => return None,
    };
    match (is_v(a), is_v(b)) {
        (true, false) if free(b) => Some((class, b)),
        (false, true) if free(a) && !ordered => Some((class, a)),
        _ => None,
    }
}

/// `name = c ? name : e`: where nothing compares with NaN, the variable becomes `e`.
pub fn keeps_unless(name: &Text, value: &Expr) -> bool {
    matches!(&value.kind, ExprKind::Ternary(_, a, _) if matches!(&a.kind, ExprKind::Name(n) if n == name))
}

/// A comparison of `name` with something: that, and whether it holds if that is the greater one.
pub fn comparison<'e>(name: &Text, condition: &'e Expr) -> Option<(&'e Expr, bool)> {
    let ExprKind::Binary(op, a, b) = &condition.kind else { return None };
    let is_v = |e: &Expr| matches!(&e.kind, ExprKind::Name(n) if n == name);
    Some(match (op, is_v(a), is_v(b)) {
        (BinaryOp::Gt | BinaryOp::Ge, false, true) => (a, true),
        (BinaryOp::Lt | BinaryOp::Le, false, true) => (a, false),
        (BinaryOp::Lt | BinaryOp::Le, true, false) => (b, true),
        (BinaryOp::Gt | BinaryOp::Ge, true, false) => (b, false),
        _ => return None,
    })
}

/// `if e > v` and `v = e` in it, or `<`: `v`, `e` and the class.
pub fn conditional(arms: &[(Expr, Block)]) -> Option<(&Text, &Expr, char)> {
    let [(condition, body)] = arms else { return None };
    let [Stmt { kind: StmtKind::Expr(assignment), .. }] = &body[..] else { return None };
    let ExprKind::Assign { target, op: None, value } = &assignment.kind else { return None };
    let ExprKind::Name(name) = &target.kind else { return None };
    let (e, greater) = comparison(name, condition)?;
    let names = Names::of_expr(e);
    let same = pretty::expression(e) == pretty::expression(value);
    let plain = names.changes_nothing() && !names.mentions(name);
    (same && plain).then_some((name, e, if greater { '>' } else { '<' }))
}

pub fn common(ends: Vec<HashSet<Text>>) -> HashSet<Text> {
    let mut ends = ends.into_iter();
    let first = ends.next().unwrap_or_default();
    ends.fold(first, |a, b| a.intersection(&b).cloned().collect())
}

/// Whether a body has a `continue` of its own, not of a loop in it.
pub fn continues(body: &Block) -> bool {
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::Continue => true,
        StmtKind::If { arms, otherwise } => arms.iter().any(|a| continues(&a.1)) || continues(otherwise),
        StmtKind::Match { arms, .. } => arms.iter().any(|a| continues(&a.body)),
        _ => false,
    })
}

/// Whether an index in the block satisfies a condition.
pub fn any_index(block: &Block, found: &dyn Fn(&[Expr]) -> bool) -> bool {
    block.iter().any(|stmt| match &stmt.kind {
        StmtKind::Expr(e) => in_expr(e, found),
        StmtKind::If { arms, otherwise } => {
            arms.iter().any(|(c, b)| in_expr(c, found) || any_index(b, found)) || any_index(otherwise, found)
        }
        StmtKind::For(f) => any_index(&f.body, found),
        StmtKind::While { condition, body } | StmtKind::Repeat { body, condition } => {
            in_expr(condition, found) || any_index(body, found)
        }
        StmtKind::Match { arms, .. } => arms.iter().any(|a| any_index(&a.body, found)),
        _ => false,
    })
}

/// Whether the range of a loop in the block satisfies a condition.
pub fn any_range(block: &Block, found: &dyn Fn(&Expr) -> bool) -> bool {
    block.iter().any(|stmt| match &stmt.kind {
        StmtKind::If { arms, otherwise } => arms.iter().any(|a| any_range(&a.1, found)) || any_range(otherwise, found),
        StmtKind::For(f) => found(&f.over) || any_range(&f.body, found),
        StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => any_range(body, found),
        StmtKind::Match { arms, .. } => arms.iter().any(|a| any_range(&a.body, found)),
        _ => false,
    })
}

pub fn in_expr(e: &Expr, found: &dyn Fn(&[Expr]) -> bool) -> bool {
    let each = |e: &Expr| in_expr(e, found);
    match &e.kind {
        ExprKind::Index { base, items } => found(items) || each(base) || items.iter().any(each),
        ExprKind::Unary(_, a) | ExprKind::Spread(a) | ExprKind::TypeCheck(a, _) => each(a),
        ExprKind::Binary(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) => each(a) || each(b),
        ExprKind::Ternary(a, b, c) => each(a) || each(b) || each(c),
        ExprKind::Call { args, .. } => args.iter().any(|a| each(&a.value)),
        ExprKind::Array(items) | ExprKind::Sequence(items) | ExprKind::Cell(items) => items.iter().any(each),
        ExprKind::Assign { target, value, .. } => each(target) || each(value),
        ExprKind::MultiAssign { targets, value } => targets.iter().any(each) || each(value),
        ExprKind::Declare { value, .. } => value.as_deref().is_some_and(each),
        ExprKind::Field { base, .. } => each(base),
        _ => false,
    }
}

/// Whether an expression depends on the elements of an array, and not only on its size.
pub fn looks_into(e: &Expr, array: &str, library: &Library) -> bool {
    let each = |e: &Expr| looks_into(e, array, library);
    match &e.kind {
        ExprKind::Name(n) => **n == *array,
        ExprKind::Call { callee, args } if library.calls(callee, Meaning::measures) => {
            args.iter().any(|a| !matches!(a.value.kind, ExprKind::Name(_)) && each(&a.value))
        }
        ExprKind::Unary(_, a) => each(a),
        ExprKind::Binary(_, a, b) => each(a) || each(b),
        ExprKind::Range { from, step, to } => each(from) || step.as_deref().is_some_and(each) || each(to),
        _ => Names::of_expr(e).mentions(array),
    }
}
