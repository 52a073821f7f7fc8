//! Variables and functions that a program names in a text.

use super::Resolver;
use crate::program::language::ast::{Arg, Expr, asked};
use quadra_base::Span;

impl Resolver<'_> {
    /// Notes the variable or function that `exist("name")` asks for, inside the quotes.
    pub(super) fn asked(&mut self, callee: &Expr, args: &[Arg]) {
        let Some((name, span)) = asked(callee, args) else { return };
        let len = name.chars().count() as u32;
        // What is written with escapes is no name.
        if len == 0 || span.len != len + 2 {
            return;
        }
        let variable = self.variable(self.scope, name);
        if let Some(symbol) = variable.or_else(|| self.functions.get(name).copied()) {
            let inside = Span::new(span.file, span.line, span.column + 1, len);
            self.put(inside, symbol, false, None);
        }
    }
}
