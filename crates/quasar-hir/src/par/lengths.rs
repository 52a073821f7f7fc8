//! Lengths of arrays that iterations make, in terms of what the loop keeps: `n = numel(b)` and then `zeros(n)` has as many elements as
//! `b` in every iteration, if nothing else sets `n`.

use super::Program;
use super::counter;
use crate::meaning::{Meaning, Measure};
use crate::types::Type;
use quadra_base::quick::Map;
use quadra_quasar_syntax::ast::{
    Arg, BinaryOp, Block, Expr, ExprKind, Stmt, StmtKind, Text, TypeExpr, TypeExprKind, UnaryOp,
};

/// Variables that one statement sets, to what was found to be the same in all iterations.
#[derive(Clone, Default)]
pub struct Steady {
    often: Map<Text, usize>,
    values: Map<Text, Expr>,
}

impl Steady {
    /// The statements of an iteration, none of which has been looked at.
    pub fn of(body: &Block) -> Steady {
        let mut names = Vec::new();
        counter::assigned(body, &mut names);
        let mut often: Map<Text, usize> = Map::default();
        names.into_iter().for_each(|n| *often.entry(n).or_default() += 1);
        Steady { often, values: Map::default() }
    }

    /// Looks at a statement that every way to the ones behind it passes. `known` says what the loop keeps.
    pub fn note(&mut self, stmt: &Stmt, known: &dyn Fn(&Text) -> bool, program: &dyn Program) {
        let Some((name, value)) = sets(stmt) else { return };
        if self.often.get(name) != Some(&1) {
            return;
        }
        if let Some(value) = self.resolved(value, known, program) {
            self.values.insert(name.clone(), value);
        }
    }

    /// A length in terms of nothing but what the loop keeps, if it is one.
    pub fn resolved(&self, e: &Expr, known: &dyn Fn(&Text) -> bool, program: &dyn Program) -> Option<Expr> {
        let of = |e: &Expr| self.resolved(e, known, program);
        let kind = match &e.kind {
            ExprKind::Int(_) => return Some(e.clone()),
            ExprKind::Name(name) => {
                return self.values.get(name).cloned().or_else(|| known(name).then(|| e.clone()));
            }
            ExprKind::Unary(op @ (UnaryOp::Neg | UnaryOp::Plus), a) => ExprKind::Unary(*op, Box::new(of(a)?)),
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), a, b) => {
                ExprKind::Binary(*op, Box::new(of(a)?), Box::new(of(b)?))
            }
            ExprKind::Call { callee, args } => {
                let ExprKind::Name(f) = &callee.kind else { return None };
                let own = program.function(f).is_some() || program.lambda(f).is_some() || program.is_inner(f);
                let measures = match (program.library().meaning(f), args.len()) {
                    (Meaning::Measure(Measure::Elements), 1) | (Meaning::Measure(Measure::Lengths), 2) => true,
                    (Meaning::Extreme(_), 2) => false,
                    _ => return None,
                };
                if own || args.iter().any(|a| a.name.is_some()) {
                    return None;
                }
                let mut args: Vec<Arg> = args.clone();
                for arg in args.iter_mut().skip(usize::from(measures)) {
                    arg.value = of(&arg.value)?;
                }
                match &args[0].value.kind {
                    ExprKind::Name(array) if measures && !known(array) => return None,
                    ExprKind::Name(_) => {}
                    _ if measures => return None,
                    _ => {}
                }
                ExprKind::Call { callee: callee.clone(), args }
            }
            _ => return None,
        };
        Some(Expr { kind, ..e.clone() })
    }
}

/// The variable that a statement sets to a number, and what it is set to.
fn sets(stmt: &Stmt) -> Option<(&Text, &Expr)> {
    let StmtKind::Expr(e) = &stmt.kind else { return None };
    let (target, value) = match &e.kind {
        ExprKind::Assign { target, op: None, value } => (target, value),
        ExprKind::Declare { target, ty, value: Some(value) } if is_number(ty) => (target, value),
        _ => return None,
    };
    if let ExprKind::Name(name) = &target.kind { Some((name, value)) } else { None }
}

/// Whether a type is one of numbers, so that its call converts one.
pub fn is_number(ty: &TypeExpr) -> bool {
    let TypeExprKind::Named { name, rank: None, dims, element: None } = &ty.kind else { return false };
    dims.is_empty() && Type::of_numbers(name).is_some()
}
