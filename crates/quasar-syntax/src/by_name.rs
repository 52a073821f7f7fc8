//! Files of variables by their names, as MATLAB's users write them: the statement `load("a.mat", "x", "y")` makes the variables x
//! and y, `save("a.mat", "x", "y")` writes them. Both become the statements that say so: `[x, y] = load("a.mat", "x", "y")` and
//! `save("a.mat", "x", x, "y", y)`.

use super::ast::{Arg, Expr, ExprKind, Text};
use super::parser::Parser;
use super::token::{Tok, Token};
use quadra_base::Span;

impl Parser {
    /// The statement that `e` stands for.
    pub(super) fn by_name(&mut self, e: Expr) -> Expr {
        let ExprKind::Call { callee, args } = &e.kind else { return e };
        let ExprKind::Name(function) = &callee.kind else { return e };
        let function = function.clone();
        if !matches!(&*function, "load" | "save") || defines(self.tokens(), &function) {
            return e;
        }
        let Some(names) = names_of(args) else { return e };
        match &*function {
            "load" => self.loaded(e, &names),
            _ if in_mat_file(args) && names.iter().all(|(name, _)| occurs(self.tokens(), name)) => {
                self.saved(e, &names)
            }
            _ => e,
        }
    }

    /// `x = load(file, "x").x`, of several names `[x, y] = load(file, "x", "y")`.
    fn loaded(&mut self, e: Expr, names: &[(Text, Span)]) -> Expr {
        let span = e.span;
        let mut targets: Vec<Expr> = names.iter().map(|(n, at)| self.expr(*at, ExprKind::Name(n.clone()))).collect();
        if names.len() > 1 {
            return self.expr(span, ExprKind::MultiAssign { targets, value: Box::new(e) });
        }
        let (name, name_span) = names[0].clone();
        let value = Box::new(self.expr(span, ExprKind::Field { base: Box::new(e), name, name_span }));
        let target = Box::new(targets.remove(0));
        self.expr(span, ExprKind::Assign { target, op: None, value })
    }

    /// `save(file, "x", x, "y", y)`.
    fn saved(&mut self, mut e: Expr, names: &[(Text, Span)]) -> Expr {
        let values: Vec<Expr> = names.iter().map(|(n, at)| self.expr(*at, ExprKind::Name(n.clone()))).collect();
        if let ExprKind::Call { args, .. } = &mut e.kind {
            let texts = args.split_off(1);
            args.extend(texts.into_iter().zip(values).flat_map(|(text, value)| [text, Arg { name: None, value }]));
        }
        e
    }
}

/// The texts behind the first argument, if they are names of variables and there is at least one.
fn names_of(args: &[Arg]) -> Option<Vec<(Text, Span)>> {
    let name = |a: &Arg| match &a.value.kind {
        ExprKind::Str(text) if a.name.is_none() && is_name(text) => Some((text.clone(), a.value.span)),
        _ => None,
    };
    let (file, names) = args.split_first()?;
    if file.name.is_some() || names.is_empty() {
        return None;
    }
    names.iter().map(name).collect()
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether the file is known to be one whose values have names.
fn in_mat_file(args: &[Arg]) -> bool {
    matches!(&args[0].value.kind, ExprKind::Str(file) if file.to_ascii_lowercase().ends_with(".mat"))
}

/// Whether something of this name stands in the program before.
fn occurs(tokens: &[Token], name: &str) -> bool {
    tokens.iter().any(|t| matches!(&t.kind, Tok::Name(n) if **n == *name))
}

/// Whether the program has a function of its own of this name.
pub(super) fn defines(tokens: &[Token], name: &str) -> bool {
    tokens.split(|t| matches!(t.kind, Tok::Newline)).any(|line| {
        matches!(line.first().map(|t| &t.kind), Some(Tok::Keyword("function")))
            && line
                .windows(2)
                .any(|w| matches!(w[1].kind, Tok::Punct("(")) && matches!(&w[0].kind, Tok::Name(n) if **n == *name))
    })
}
