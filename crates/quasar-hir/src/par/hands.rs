//! Arrays whose names others may have: what may hand the array that stands under a name on.

use super::Program;
use crate::meaning::{Library, Meaning};
use crate::scope::Names;
use crate::types::{Env, Type};
use quadra_base::quick::Set;
use quadra_quasar_syntax::ast::{Block, Expr, ExprKind, StmtKind, Text, UnaryOp};

pub(super) struct Search<'a> {
    pub env: &'a Env,
    pub program: &'a dyn Program,
}

impl Search<'_> {
    fn library(&self) -> &'static Library {
        self.program.library()
    }

    /// The meaning of a built-in function.
    pub fn meaning(&self, callee: &Expr) -> Option<Meaning> {
        let ExprKind::Name(f) = &callee.kind else { return None };
        let own = self.program.function(f).is_some() || self.program.is_inner(f) || self.env.contains_key(f);
        (!own).then(|| self.library().meaning(f))
    }

    fn type_of(&self, name: &str) -> Option<&Type> {
        self.env.get(name).and_then(Option::as_ref)
    }

    /// Whether the text says that an expression is an array of more than one element.
    pub fn gives_array(&self, e: &Expr, known: &Set<Text>) -> bool {
        match &e.kind {
            ExprKind::Name(n) => known.contains(n) || matches!(self.type_of(n), Some(Type::Array { .. })),
            ExprKind::Unary(_, a) => self.gives_array(a, known),
            ExprKind::Binary(_, a, b) => self.gives_array(a, known) || self.gives_array(b, known),
            ExprKind::Index { items, .. } => {
                items.iter().any(|i| matches!(i.kind, ExprKind::Colon | ExprKind::Range { .. }))
            }
            ExprKind::Array(items) => !items.is_empty(),
            ExprKind::Call { callee, .. } if let ExprKind::Type(ty) = &callee.kind => {
                super::fresh::elements(ty).is_some()
            }
            ExprKind::Call { callee, args } => match self.meaning(callee) {
                Some(Meaning::Fill(_) | Meaning::Identity) => true,
                Some(Meaning::Map(_) | Meaning::Pair(_) | Meaning::Copy | Meaning::Transpose | Meaning::Formula(_)) => {
                    args.iter().any(|a| self.gives_array(&a.value, known))
                }
                Some(Meaning::Extreme(_)) => args.len() == 2 && args.iter().any(|a| self.gives_array(&a.value, known)),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether the array that stands under a name may come to stand elsewhere, too. What `copied` are assigned is copied.
    pub fn escapes(&self, block: &Block, name: &Text, copied: &Set<Text>) -> bool {
        block.iter().any(|stmt| match &stmt.kind {
            StmtKind::Expr(e) => match &e.kind {
                ExprKind::Assign { target: assigned_to, op, value } => {
                    let target = match &assigned_to.kind {
                        ExprKind::Name(_) => false,
                        ExprKind::Index { base, items } => {
                            let own = matches!(&base.kind, ExprKind::Name(_));
                            !own && self.hands_on(base, name) || items.iter().any(|i| self.hands_on_operand(i, name))
                        }
                        _ => Names::of_expr(assigned_to).mentions(name),
                    };
                    // What is computed with it, or stored as the elements of a slice, is copied.
                    let slice = |i: &Expr| matches!(i.kind, ExprKind::Colon | ExprKind::Range { .. });
                    let sliced = |e: &Expr| matches!(&e.kind, ExprKind::Index { items, .. } if items.iter().any(slice));
                    let copies = matches!(&assigned_to.kind, ExprKind::Name(n) if copied.contains(n));
                    let stores = op.is_some() || sliced(assigned_to) || copies;
                    target || if stores { self.hands_on_operand(value, name) } else { self.hands_on(value, name) }
                }
                // A new array, or a number.
                ExprKind::Declare { value: Some(value), .. } if assignment(e).is_some() => {
                    self.hands_on_operand(value, name)
                }
                _ => self.hands_on(e, name),
            },
            StmtKind::For(f) if matches!(f.over.kind, ExprKind::Range { .. }) => {
                self.hands_on_operand(&f.over, name) || self.escapes(&f.body, name, copied)
            }
            StmtKind::For(f) => self.hands_on(&f.over, name) || self.escapes(&f.body, name, copied),
            StmtKind::While { condition, body } | StmtKind::Repeat { body, condition } => {
                self.hands_on_operand(condition, name) || self.escapes(body, name, copied)
            }
            StmtKind::If { arms, otherwise } => {
                arms.iter().any(|a| self.hands_on_operand(&a.0, name) || self.escapes(&a.1, name, copied))
                    || self.escapes(otherwise, name, copied)
            }
            _ => Names::of_block(&vec![stmt.clone()]).mentions(name),
        })
    }

    /// Whether the value of an expression may be the array of a name itself.
    fn hands_on(&self, e: &Expr, name: &Text) -> bool {
        match &e.kind {
            ExprKind::Name(n) => n == name,
            ExprKind::Index { base, items } => {
                let own = matches!(&base.kind, ExprKind::Name(_));
                !own && self.hands_on(base, name) || items.iter().any(|i| self.hands_on_operand(i, name))
            }
            ExprKind::Unary(UnaryOp::Neg | UnaryOp::Not, a) => self.hands_on_operand(a, name),
            ExprKind::Binary(_, a, b) => self.hands_on_operand(a, name) || self.hands_on_operand(b, name),
            ExprKind::Array(items) => items.iter().any(|i| self.hands_on(i, name)),
            ExprKind::Call { callee, args } if self.computes(callee) => {
                args.iter().any(|a| self.hands_on_operand(&a.value, name))
            }
            ExprKind::Call { callee, args } if matches!(callee.kind, ExprKind::Type(_)) => {
                args.iter().any(|a| self.hands_on_operand(&a.value, name))
            }
            // What it gives may be its argument, but not what that was computed from.
            ExprKind::Call { callee, args } if self.meaning(callee).is_some_and(Meaning::only_computes) => {
                args.iter().any(|a| self.hands_on(&a.value, name))
            }
            ExprKind::Ternary(c, a, b) => {
                self.hands_on_operand(c, name) || self.hands_on(a, name) || self.hands_on(b, name)
            }
            _ => Names::of_expr(e).mentions(name),
        }
    }

    /// The same of what takes part in the computation of another value.
    fn hands_on_operand(&self, e: &Expr, name: &Text) -> bool {
        match &e.kind {
            ExprKind::Name(_) => false,
            ExprKind::And(a, b) => self.hands_on_operand(a, name) || self.hands_on_operand(b, name),
            ExprKind::Or(a, b) => self.hands_on_operand(a, name) || self.hands_on_operand(b, name),
            ExprKind::Range { from, step: None, to } => {
                self.hands_on_operand(from, name) || self.hands_on_operand(to, name)
            }
            ExprKind::Call { callee, args }
                if matches!(self.meaning(callee), Some(Meaning::Map(_) | Meaning::Transpose | Meaning::Float)) =>
            {
                args.iter().any(|a| self.hands_on_operand(&a.value, name))
            }
            _ => self.hands_on(e, name),
        }
    }

    /// Whether a function makes a new value of its arguments.
    fn computes(&self, callee: &Expr) -> bool {
        matches!(
            self.meaning(callee),
            Some(
                Meaning::Sum
                    | Meaning::Product
                    | Meaning::Mean
                    | Meaning::Norm
                    | Meaning::DotProduct
                    | Meaning::Truth { .. }
                    | Meaning::Extreme(_)
                    | Meaning::Pair(_)
                    | Meaning::Measure(_)
                    | Meaning::Copy
                    | Meaning::Assert
            )
        )
    }
}

/// The variable that a statement assigns, and its value. A declaration that says no more than the value does is an assignment.
pub(super) fn assignment(e: &Expr) -> Option<(Text, Expr)> {
    if let ExprKind::Declare { target, ty, value: Some(value) } = &e.kind {
        let ExprKind::Name(name) = &target.kind else { return None };
        let same = super::lengths::is_number(ty) || super::fresh::declares_new(ty, value);
        return same.then(|| (name.clone(), (**value).clone()));
    }
    let ExprKind::Assign { target, op, value } = &e.kind else { return None };
    let ExprKind::Name(name) = &target.kind else { return None };
    let value = match op {
        None => (**value).clone(),
        Some(op) => {
            let kind = ExprKind::Binary(*op, target.clone(), value.clone());
            Expr { id: e.id, span: e.span, kind }
        }
    };
    Some((name.clone(), value))
}
