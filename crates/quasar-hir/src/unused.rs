//! Statements that compute a value and do nothing with it.

use crate::meaning::Library;
use quadra_base::Diagnostic;
use quadra_base::quick::Set;
use quadra_quasar_syntax::ast::{Block, Expr, ExprKind, Function, StmtKind, Text};

/// Warnings about such statements in a program. `known` are variables and functions from before.
pub fn program(block: &Block, library: &Library, known: &dyn Fn(&str) -> bool) -> Vec<Diagnostic> {
    let mut names = Set::default();
    defined(block, &mut names);
    let mut search = Search { library, known, names, said: Vec::new() };
    search.block(block);
    search.said
}

/// Functions and their parameters, wherever they are defined: names that may hide a built-in function.
fn defined(block: &Block, names: &mut Set<Text>) {
    each_function(block, &mut |f| {
        names.insert(f.name.clone());
        names.extend(f.params.iter().map(|p| p.name.clone()));
        names.extend(crate::scope::Names::of_function(f).assigned);
    });
    names.extend(crate::scope::Names::of_block(block).assigned);
}

fn each_function(block: &Block, f: &mut dyn FnMut(&Function)) {
    for stmt in block {
        if let StmtKind::Function(function) = &stmt.kind {
            f(function);
        }
        blocks(&stmt.kind, &mut |inner| each_function(inner, f));
    }
}

/// The blocks within a statement.
fn blocks(kind: &StmtKind, f: &mut dyn FnMut(&Block)) {
    match kind {
        StmtKind::If { arms, otherwise } => {
            arms.iter().for_each(|a| f(&a.1));
            f(otherwise);
        }
        StmtKind::For(l) => f(&l.body),
        StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => f(body),
        StmtKind::Match { arms, .. } => arms.iter().for_each(|a| f(&a.body)),
        StmtKind::Try { body, handler, .. } => {
            f(body);
            f(handler);
        }
        StmtKind::Function(function) => f(&function.body),
        StmtKind::Module(module) => f(&module.body),
        _ => {}
    }
}

struct Search<'a> {
    library: &'a Library,
    known: &'a dyn Fn(&str) -> bool,
    names: Set<Text>,
    said: Vec<Diagnostic>,
}

impl Search<'_> {
    fn block(&mut self, block: &Block) {
        for stmt in block {
            if let StmtKind::Expr(e) = &stmt.kind
                && let Some(help) = self.help(e)
            {
                let message = "the value of this statement is not used";
                self.said.push(Diagnostic::warning("Q0217", message).at(e.span).help(help));
            }
            // What is tried may be there to fail.
            if !matches!(stmt.kind, StmtKind::Try { .. }) {
                blocks(&stmt.kind, &mut |inner| self.block(inner));
            }
        }
    }

    /// What to write instead of a statement that only computes.
    fn help(&self, e: &Expr) -> Option<&'static str> {
        let only = match &e.kind {
            ExprKind::Binary(op, ..) if op.is_comparison() => "'=' assigns; an assertion is written assert(a == b)",
            ExprKind::Call { .. } => "assign it: functions of the library leave their arguments as they are",
            ExprKind::Binary(..) | ExprKind::Unary(..) | ExprKind::And(..) | ExprKind::Or(..) => "assign or print it",
            _ => return None,
        };
        self.only_computes(e).then_some(only)
    }

    /// Whether evaluating an expression gives its value and does nothing else, whatever the variables hold.
    fn only_computes(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Imag(_) | ExprKind::Str(_) | ExprKind::Name(_) => true,
            ExprKind::Unary(_, a) => self.only_computes(a),
            ExprKind::Binary(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.only_computes(a) && self.only_computes(b)
            }
            ExprKind::Index { base, items } => {
                self.only_computes(base)
                    && items.iter().all(|i| matches!(i.kind, ExprKind::Colon) || self.only_computes(i))
            }
            ExprKind::Array(items) => items.iter().all(|i| self.only_computes(i)),
            ExprKind::Range { from, step, to } => {
                self.only_computes(from) && self.only_computes(to) && step.iter().all(|s| self.only_computes(s))
            }
            ExprKind::Call { callee, args } => {
                let ExprKind::Name(name) = &callee.kind else { return false };
                let own = self.names.contains(name) || (self.known)(name);
                !own && self.library.meaning(name).only_computes() && args.iter().all(|a| self.only_computes(&a.value))
            }
            _ => false,
        }
    }
}
