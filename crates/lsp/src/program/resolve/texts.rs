//! Variables and functions that a program names in a text.

use super::Resolver;
use crate::program::language::ast::{Arg, EXIST, Expr, ExprKind};
use quadra_base::Span;

impl Resolver<'_> {
    /// Notes the variable or function that `exist("name")` asks for, inside the quotes.
    pub(super) fn asked(&mut self, callee: &Expr, args: &[Arg]) {
        let (ExprKind::Name(called), Some(Arg { value, .. })) = (&callee.kind, args.first()) else { return };
        let ExprKind::Str(name) = &value.kind else { return };
        let len = name.chars().count() as u32;
        // What is written with escapes is no name.
        if &**called != EXIST || len == 0 || value.span.len != len + 2 {
            return;
        }
        let variable = self.variable(self.scope, name);
        if let Some(symbol) = variable.or_else(|| self.functions.get(name).copied()) {
            let inside = Span::new(value.span.file, value.span.line, value.span.column + 1, len);
            self.put(inside, symbol, false, None);
        }
    }
}
