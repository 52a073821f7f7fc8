//! Statements of words alone, as they are typed at a prompt: `hold on`, `axis equal`, `close all` are calls with these words;
//! `clear all`, `clc` and `format long` have nothing to do in a program and are left out with a warning.

use super::ast::{Arg, BinaryOp, Expr, ExprKind};
use super::by_name::defines;
use super::parser::Parser;
use super::token::{Tok, Token};
use quadra_base::{Diagnostic, Span};

/// Functions that take words, and whose names nobody gives to a type.
const CALLED: &[&str] =
    &["hold", "grid", "axis", "close", "colormap", "box", "shading", "figure", "colorbar", "yyaxis", "tiledlayout"];
/// Commands of a prompt.
const LEFT_OUT: &[&str] = &["clear", "clearvars", "clc", "format", "more", "who", "whos"];

impl Parser {
    /// The expression that a statement of words stands for, `None` inside if it stands for none.
    pub(super) fn words(&mut self) -> Option<Option<Expr>> {
        let Tok::Name(first) = self.peek().clone() else { return None };
        let left_out = self.switches_warnings() || LEFT_OUT.contains(&&*first);
        if !left_out && !CALLED.contains(&&*first) {
            return None;
        }
        let mut count = 0;
        while matches!(self.peek_at(count + 1), Tok::Name(_) | Tok::Keyword(_)) {
            count += 1;
        }
        let ends = matches!(self.peek_at(count + 1), Tok::Newline | Tok::End | Tok::Punct(";"));
        // A word alone calls a function as an expression does, and a variable may have the name of a command.
        if !ends || count == 0 && (!left_out || self.is_value_before(&first)) {
            return None;
        }
        let start = self.span();
        let callee = self.expr(start, ExprKind::Name(first.clone()));
        self.bump();
        let mut args = Vec::new();
        for _ in 0..count {
            let span = self.span();
            let text = match self.bump().kind {
                Tok::Name(word) => word,
                Tok::Keyword(word) => word.into(),
                _ => "".into(),
            };
            args.push(Arg { name: None, value: self.expr(span, ExprKind::Str(text)) });
        }
        let span = self.since(start);
        if left_out {
            let message = format!("'{first}' is a command of the prompt and does nothing in a program");
            self.error(Diagnostic::warning("Q0128", message).at(span).help("remove it"));
            return Some(None);
        }
        Some(Some(self.expr(span, ExprKind::Call { callee: Box::new(callee), args })))
    }

    /// An array of a constant, `inf(2,3)`: `ones(2,3) * inf`, as MATLAB's users write them.
    pub(super) fn filled(&mut self, callee: &Expr, args: &[Arg]) -> Option<ExprKind> {
        let ExprKind::Name(name) = &callee.kind else { return None };
        let maker = match &**name {
            "inf" | "Inf" | "nan" | "NaN" | "true" => "ones",
            "false" => "zeros",
            _ => return None,
        };
        if self.assigns(name) || args.iter().any(|a| a.name.is_some()) {
            return None;
        }
        let values = args.iter().map(|a| a.value.clone()).collect();
        let span = callee.span;
        if args.is_empty() {
            return Some(ExprKind::Name(name.clone()));
        }
        let array = self.builtin_call(maker, values, span);
        match &**name {
            "true" | "false" => Some(array.kind),
            _ => Some(ExprKind::Binary(BinaryOp::Mul, Box::new(array), Box::new(callee.clone()))),
        }
    }

    /// Whether the program gives this name to a variable or a function of its own.
    fn assigns(&self, name: &str) -> bool {
        let assigned =
            |w: &[Token]| matches!((&w[0].kind, &w[1].kind), (Tok::Name(n), Tok::Punct("=")) if **n == *name);
        self.tokens().windows(2).any(assigned) || defines(self.tokens(), name)
    }

    /// Says where a program takes what MATLAB's `nextpow2` gives, an exponent, for what the one here gives.
    pub(super) fn suspect_power(&mut self, base: &Expr, exponent: &Expr, span: Span) {
        let two = matches!(base.kind, ExprKind::Int(2)) || matches!(base.kind, ExprKind::Float(v) if v == 2.0);
        let ExprKind::Call { callee, .. } = &exponent.kind else { return };
        let ExprKind::Name(name) = &callee.kind else { return };
        // A program may have its own.
        if two && &**name == "nextpow2" && !self.assigns(name) {
            let message = "'nextpow2' is the power of two itself, not its exponent as in MATLAB";
            self.error(Diagnostic::warning("Q0218", message).at(span).help("write nextpow2(x) alone"));
        }
    }

    /// Whether `warning off` stands here, which is about the warnings of another system.
    pub(super) fn switches_warnings(&self) -> bool {
        let switch = |t: &Tok| matches!(t, Tok::Name(n) if matches!(&**n, "off" | "on"));
        matches!(self.peek(), Tok::Name(n) if &**n == "warning") && switch(self.peek_at(1))
    }

    /// Whether the name stands in the program before this place, other than as a statement of its own.
    fn is_value_before(&self, name: &str) -> bool {
        let tokens = &self.tokens()[..=self.position()];
        let divides = |t: &Token| matches!(t.kind, Tok::Newline | Tok::Punct(";"));
        let is_value = |(at, t): (usize, &Token)| {
            let begins = at == 0 || divides(&tokens[at - 1]);
            matches!(&t.kind, Tok::Name(n) if **n == *name) && !(begins && tokens.get(at + 1).is_none_or(divides))
        };
        tokens[..self.position()].iter().enumerate().any(is_value)
    }
}
