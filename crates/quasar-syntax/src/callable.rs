//! Function definitions, lambda expressions and their parameters.

use super::ast::{Block, Expr, ExprKind, Function, FunctionKind, Param, Stmt, StmtKind, Text, TypeExpr};
use super::parser::Parser;
use super::token::Tok;
use quadra_base::{Diagnostic, Span};
use std::rc::Rc;

impl Parser {
    /// `function [outs] = name(params) … endfunction`.
    pub(super) fn function_definition(&mut self) -> Stmt {
        let start = self.span();
        self.bump();
        let outputs = self.outputs();
        self.expect("=");
        let kind = self.function_kind();
        let name = self.name("the name of the function");
        let generics = if self.at("[") { self.generics() } else { Vec::new() };
        let params = self.params();
        self.check_params(kind, &params);
        let span = self.since(start);
        let loops = std::mem::replace(&mut self.loops, 0);
        self.functions += 1;
        let body = self.block(&["endfunction", "end"]);
        self.functions -= 1;
        self.loops = loops;
        self.close("function", "endfunction", start);
        let id = self.id();
        let function = Function { id, name, kind, lambda: false, generics, outputs, params, body, value: None, span };
        Stmt { kind: StmtKind::Function(Rc::new(function)), span }
    }

    fn function_kind(&mut self) -> FunctionKind {
        if self.eat_keyword("__kernel__") {
            FunctionKind::Kernel
        } else if self.eat_keyword("__device__") {
            FunctionKind::Device
        } else {
            FunctionKind::Host
        }
    }

    /// Reads an identifier.
    pub(super) fn name(&mut self, what: &str) -> Text {
        match self.peek().clone() {
            Tok::Name(name) => {
                self.bump();
                name
            }
            Tok::Keyword(word) => {
                let diagnostic = Diagnostic::error("Q0113", format!("'{word}' is a reserved word"))
                    .at(self.span())
                    .help(format!("choose another name for {what}"));
                self.error(diagnostic);
                self.bump();
                word.into()
            }
            _ => {
                self.unexpected(what);
                "".into()
            }
        }
    }

    fn outputs(&mut self) -> Vec<(Text, Option<TypeExpr>)> {
        let mut outputs = Vec::new();
        if self.eat("[") {
            while !self.at("]") && !matches!(self.peek(), Tok::End | Tok::Newline) {
                outputs.push(self.output());
                if !self.eat(",") {
                    break;
                }
            }
            self.expect("]");
        } else {
            outputs.push(self.output());
        }
        outputs
    }

    fn output(&mut self) -> (Text, Option<TypeExpr>) {
        let name = self.name("an output argument");
        let ty = self.eat(":").then(|| self.type_expr());
        (name, ty)
    }

    fn generics(&mut self) -> Vec<(Text, Option<TypeExpr>)> {
        let mut generics = Vec::new();
        self.expect("[");
        while !self.at("]") && !matches!(self.peek(), Tok::End | Tok::Newline) {
            let name = self.name("a type parameter");
            let ty = self.eat(":").then(|| self.type_expr());
            generics.push((name, ty));
            if !self.eat(",") {
                break;
            }
        }
        self.expect("]");
        generics
    }

    fn params(&mut self) -> Vec<Param> {
        let mut params = Vec::new();
        if !self.expect("(") {
            return params;
        }
        while !self.at(")") && !matches!(self.peek(), Tok::End | Tok::Newline) {
            let span = self.span();
            let variadic = self.eat("...");
            let name = self.name("a parameter");
            let ty = self.eat(":").then(|| self.type_expr());
            let default = self.eat("=").then(|| self.expression());
            params.push(Param { name, span: self.since(span), variadic, ty, default });
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")");
        params
    }

    fn check_params(&mut self, kind: FunctionKind, params: &[Param]) {
        for (i, param) in params.iter().enumerate() {
            if params[..i].iter().any(|p| p.name == param.name) {
                let message = format!("the parameter '{}' is there twice", param.name);
                self.error(Diagnostic::error("Q0114", message).at(param.span).help("give each its own name"));
            }
            if param.variadic && i + 1 < params.len() {
                let message = format!("the variadic parameter '...{}' must be the last one", param.name);
                self.error(Diagnostic::error("Q0114", message).at(param.span).help("move it to the end"));
            }
            if param.default.is_some() && kind != FunctionKind::Host {
                let diagnostic = Diagnostic::error("Q0401", "kernel functions cannot have optional arguments")
                    .at(param.span)
                    .help(format!("remove '= …' and pass '{}' at every launch", param.name));
                self.error(diagnostic);
            }
        }
    }

    /// Whether a lambda expression starts here: `x ->`, `( … ) ->`, `__device__`, `__kernel__`.
    pub(super) fn lambda_follows(&self) -> bool {
        match self.peek() {
            Tok::Keyword("__device__" | "__kernel__") => true,
            _ if self.no_lambda => false,
            Tok::Name(_) => matches!(self.peek_at(1), Tok::Punct("->")),
            Tok::Punct("(") => {
                self.matching_parenthesis().is_some_and(|close| matches!(self.peek_at(close + 1), Tok::Punct("->")))
            }
            _ => false,
        }
    }

    /// How many tokens ahead the parenthesis is that closes the one here.
    pub(super) fn matching_parenthesis(&self) -> Option<usize> {
        let mut depth = 0;
        for i in 0.. {
            match self.peek_at(i) {
                Tok::Punct("(" | "[" | "{" | "`") => depth += 1,
                Tok::Punct(")" | "]" | "}" | "'") => depth -= 1,
                Tok::End | Tok::Newline => return None,
                _ => {}
            }
            if depth == 0 {
                return Some(i);
            }
        }
        None
    }

    pub(super) fn lambda(&mut self) -> Expr {
        let start = self.span();
        let kind = self.function_kind();
        let params = if self.at("(") { self.params() } else { vec![self.single_param()] };
        for param in params.iter().filter(|p| p.default.is_some()) {
            let diagnostic = Diagnostic::error("Q0115", "lambda expressions cannot have optional arguments")
                .at(param.span)
                .help("write a function with 'function … endfunction'");
            self.error(diagnostic);
        }
        self.check_params(FunctionKind::Host, &params);
        self.expect("->");
        let loops = std::mem::replace(&mut self.loops, 0);
        let value = self.nested(Self::expression, |p| {
            let span = p.span();
            p.expr(span, ExprKind::Missing)
        });
        self.loops = loops;
        self.lambda_of(kind, params, value, start)
    }

    fn single_param(&mut self) -> Param {
        let span = self.span();
        Param { name: self.name("a parameter"), span, variadic: false, ty: None, default: None }
    }

    pub(super) fn lambda_of(&mut self, kind: FunctionKind, params: Vec<Param>, value: Expr, start: Span) -> Expr {
        let span = self.since(start);
        let id = self.id();
        let function = Function {
            id,
            name: "".into(),
            kind,
            lambda: true,
            generics: Vec::new(),
            outputs: Vec::new(),
            params,
            body: Block::new(),
            value: Some(value),
            span,
        };
        self.expr(span, ExprKind::Lambda(Rc::new(function)))
    }
}
