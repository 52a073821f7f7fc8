//! Expressions as text, for messages and for `fmt` of single expressions.

use super::ast::{Arg, Expr, ExprKind, Function, UnaryOp};

/// The expression on one line, with blanks around sums only, as index expressions are commonly written.
pub fn expression(e: &Expr) -> String {
    let list = |items: &[Expr]| items.iter().map(expression).collect::<Vec<_>>().join(",");
    match &e.kind {
        ExprKind::Int(v) => v.to_string(),
        ExprKind::Float(v) if *v == v.trunc() && v.abs() < 1e15 => format!("{v:.1}"),
        ExprKind::Float(v) => v.to_string(),
        ExprKind::Imag(v) => format!("{v}j"),
        ExprKind::Str(s) => format!("\"{}\"", s.replace('"', "\"\"")),
        ExprKind::Name(n) => n.to_string(),
        ExprKind::Null => "nullptr".into(),
        ExprKind::Colon => ":".into(),
        ExprKind::Placeholder => "_".into(),
        ExprKind::Missing => "?".into(),
        ExprKind::Unary(op, a) => {
            let sign = match op {
                UnaryOp::Neg => "-",
                UnaryOp::Plus => "+",
                UnaryOp::Not => "!",
            };
            format!("{sign}{}", operand(a))
        }
        ExprKind::Binary(op, a, b) => format!("{}{}{}", operand(a), op.symbol(), operand(b)),
        ExprKind::And(a, b) => format!("{} && {}", operand(a), operand(b)),
        ExprKind::Or(a, b) => format!("{} || {}", operand(a), operand(b)),
        ExprKind::Ternary(c, a, b) => format!("{} ? {} : {}", operand(c), operand(a), operand(b)),
        ExprKind::Range { from, step, to } => match step {
            Some(step) => format!("{}..{}..{}", operand(from), operand(step), operand(to)),
            None => format!("{}..{}", operand(from), operand(to)),
        },
        ExprKind::Call { callee, args } => format!("{}({})", expression(callee), arguments(args)),
        ExprKind::Index { base, items } => format!("{}[{}]", expression(base), list(items)),
        ExprKind::Field { base, name, .. } => format!("{}.{name}", expression(base)),
        ExprKind::Array(items) => format!("[{}]", list(items)),
        ExprKind::Cell(items) => format!("{{{}}}", list(items)),
        ExprKind::Lambda(f) => lambda(f),
        ExprKind::Assign { target, op, value } => {
            format!("{} {}= {}", expression(target), op.map_or("", |o| o.symbol()), expression(value))
        }
        ExprKind::MultiAssign { targets, value } => format!("[{}] = {}", list(targets), expression(value)),
        ExprKind::Declare { target, value, .. } => match value {
            Some(value) => format!("{} = {}", expression(target), expression(value)),
            None => expression(target),
        },
        ExprKind::TypeCheck(inner, _) => expression(inner),
        ExprKind::Sequence(items) => {
            format!("({})", items.iter().map(expression).collect::<Vec<_>>().join("; "))
        }
        ExprKind::Spread(inner) => format!("...{}", expression(inner)),
        ExprKind::Type(_) => "type".into(),
    }
}

/// A lambda; the types of its parameters are left out.
pub fn lambda(f: &Function) -> String {
    let params: Vec<&str> = f.params.iter().map(|p| &*p.name).collect();
    let body = f.value.as_ref().map(expression).unwrap_or_default();
    format!("({}) -> {body}", params.join(","))
}

fn arguments(args: &[Arg]) -> String {
    let one = |a: &Arg| match &a.name {
        Some(name) => format!("{name}:={}", expression(&a.value)),
        None => expression(&a.value),
    };
    args.iter().map(one).collect::<Vec<_>>().join(",")
}

/// In parentheses unless it is a simple operand.
fn operand(e: &Expr) -> String {
    let text = expression(e);
    match e.kind {
        ExprKind::Binary(..)
        | ExprKind::And(..)
        | ExprKind::Or(..)
        | ExprKind::Ternary(..)
        | ExprKind::Range { .. }
        | ExprKind::Lambda(_)
        | ExprKind::Assign { .. } => format!("({text})"),
        _ => text,
    }
}
