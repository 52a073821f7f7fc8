//! What is the same in all iterations: texts that are compared, and lengths of arrays. A kernel is made for those of a launch.

use super::body::Body;
use super::program::Program;
use crate::meaning::Meaning;
use crate::scope::Names;
use crate::types::Type;
use quadra_quasar_syntax::ast::{Arg, Expr, ExprKind, MatchArm, Text};
use std::collections::HashSet;

impl Body<'_> {
    /// Whether an expression is a comparison of texts that the loop does not change; the variables among them are read.
    pub(super) fn compares_texts(&mut self, a: &Expr, b: &Expr) -> bool {
        let literal = |e: &Expr| matches!(e.kind, ExprKind::Str(_));
        let text = |e: &Expr| match &e.kind {
            ExprKind::Name(name) => {
                self.keeps(name) && matches!(self.type_of(name), None | Some(Type::Any | Type::Str))
            }
            _ => literal(e),
        };
        let of_type = |e: &Expr| matches!(&e.kind, ExprKind::Name(n) if matches!(self.type_of(n), Some(Type::Str)));
        if !text(a) || !text(b) || !(literal(a) || literal(b) || of_type(a) && of_type(b)) {
            return false;
        }
        for e in [a, b] {
            if let ExprKind::Name(name) = &e.kind {
                self.whole_reads.entry(name.clone()).or_insert(Some(e.span));
            }
        }
        true
    }

    /// `match`, of texts or of numbers.
    pub(super) fn choice(
        &mut self,
        value: &Expr,
        arms: &[MatchArm],
        defined: &mut HashSet<Text>,
        program: &mut dyn Program,
    ) {
        let mut patterns = arms.iter().flat_map(|a| &a.patterns).peekable();
        let texts = patterns.peek().is_some() && patterns.all(|p| self.compares_texts(value, p));
        if !texts {
            self.expr(value, defined, program);
        }
        for arm in arms {
            arm.patterns.iter().filter(|_| !texts).for_each(|p| self.expr(p, defined, program));
            self.block(&arm.body, &mut defined.clone(), program);
        }
    }

    /// Whether an argument is the text of an error: whoever meets one leaves the device, and the host says it.
    pub(super) fn is_message(&self, name: &str, arg: &Arg) -> bool {
        self.library.meaning(name) == Meaning::Error && matches!(arg.value.kind, ExprKind::Str(_))
    }

    /// Whether an expression of numbers has the same value in all iterations.
    pub(super) fn is_steady(&self, e: &Expr) -> bool {
        let names = Names::of_expr(e);
        !self.loops.is_empty() && names.mentioned.iter().all(|name| self.keeps(name)) && is_arithmetic(e)
    }

    /// Whether the length of an array that is made is the same in all iterations.
    pub(super) fn is_steady_length(&self, length: &Arg) -> bool {
        matches!(length.value.kind, ExprKind::Int(_)) || self.is_steady(&length.value)
    }

    /// Whether no iteration sets a variable.
    fn keeps(&self, name: &Text) -> bool {
        !self.assigned.assigns(name) && !self.loops.contains(name)
    }
}

/// Whether an expression has no effect and no elements.
fn is_arithmetic(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(_) | ExprKind::Name(_) => true,
        ExprKind::Unary(_, a) => is_arithmetic(a),
        ExprKind::Binary(_, a, b) => is_arithmetic(a) && is_arithmetic(b),
        _ => false,
    }
}
