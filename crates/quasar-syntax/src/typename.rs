//! Types as written.

use super::ast::{DimExpr, FunctionKind, RankExpr, Text, TypeExpr, TypeExprKind};
use super::parser::Parser;
use super::token::Tok;
use quadra_base::Diagnostic;

impl Parser {
    /// Reads a type. On an error the result is `??`.
    pub(super) fn type_expr(&mut self) -> TypeExpr {
        self.nested(Self::type_inner, |p| TypeExpr { span: p.span(), kind: TypeExprKind::Any, modifiers: Vec::new() })
    }

    fn type_inner(&mut self) -> TypeExpr {
        let start = self.span();
        let kind = match self.peek().clone() {
            Tok::Punct("??") => {
                self.bump();
                TypeExprKind::Any
            }
            Tok::Punct("^") => {
                self.bump();
                TypeExprKind::Pointer(Box::new(self.type_expr()))
            }
            Tok::Punct("^^=") | Tok::Punct("^=") => {
                self.unexpected("a type");
                TypeExprKind::Any
            }
            Tok::Punct("[") => self.function_type(),
            Tok::Modifier(_) => TypeExprKind::Any,
            Tok::Keyword("function") => {
                self.bump();
                self.named_type("function".into())
            }
            Tok::Name(name) => {
                self.bump();
                self.named_type(name)
            }
            _ => {
                self.unexpected("a type");
                TypeExprKind::Any
            }
        };
        let mut modifiers = Vec::new();
        while let Tok::Modifier(word) = self.peek().clone() {
            self.bump();
            modifiers.push(word);
        }
        TypeExpr { span: self.since(start), kind, modifiers }
    }

    fn named_type(&mut self, name: Text) -> TypeExprKind {
        let mut rank = None;
        let mut dims = Vec::new();
        let mut element = None;
        if self.at("{") && !matches!(self.peek_at(1), Tok::Punct("}")) {
            self.bump();
            rank = Some(match self.bump().kind {
                Tok::Int(n) => RankExpr::Number(n),
                Tok::Punct(":") => RankExpr::Any,
                Tok::Name(n) => RankExpr::Name(n),
                _ => {
                    let diagnostic = Diagnostic::error("Q0110", "expected a number of dimensions or ':' in the braces")
                        .at(self.previous_span());
                    self.error(diagnostic);
                    RankExpr::Any
                }
            });
            self.expect("}");
        }
        if self.at("(") && self.dims_follow() {
            self.bump();
            loop {
                dims.push(match self.bump().kind {
                    Tok::Int(n) => DimExpr::Number(n),
                    Tok::Name(n) => DimExpr::Name(n),
                    _ => DimExpr::Any,
                });
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")");
        }
        if self.at("[") {
            self.bump();
            element = Some(Box::new(self.type_expr()));
            self.expect("]");
        }
        TypeExprKind::Named { name, rank, dims, element }
    }

    /// Whether the parentheses hold sizes, as in `mat(2,:)`.
    fn dims_follow(&self) -> bool {
        let mut i = 1;
        loop {
            if !matches!(self.peek_at(i), Tok::Int(_) | Tok::Name(_) | Tok::Punct(":")) {
                return false;
            }
            match self.peek_at(i + 1) {
                Tok::Punct(",") => i += 2,
                Tok::Punct(")") => return true,
                _ => return false,
            }
        }
    }

    fn function_type(&mut self) -> TypeExprKind {
        self.bump();
        let mut kind = FunctionKind::Host;
        if self.eat_keyword("__device__") {
            kind = FunctionKind::Device;
        } else if self.eat_keyword("__kernel__") {
            kind = FunctionKind::Kernel;
        }
        let mut lists = vec![self.type_list()];
        while self.eat("->") {
            lists.push(self.type_list());
        }
        self.expect("]");
        if lists.len() < 2 {
            let diagnostic = Diagnostic::error("Q0112", "a function type needs '->'")
                .at(self.previous_span())
                .help("[scalar -> scalar]");
            self.error(diagnostic);
            lists.push(Vec::new());
        }
        // Right associative: a -> b -> c takes a and gives a function from b to c.
        let mut results: Vec<TypeExpr> = lists.pop().unwrap_or_default().into_iter().map(|t| t.1).collect();
        while lists.len() > 1 {
            let params = lists.pop().unwrap_or_default();
            let inner = TypeExprKind::Function { kind: FunctionKind::Host, params, results };
            results = vec![TypeExpr { span: self.previous_span(), kind: inner, modifiers: Vec::new() }];
        }
        TypeExprKind::Function { kind, params: lists.pop().unwrap_or_default(), results }
    }

    /// One type, or several in parentheses; the flag says `...`.
    fn type_list(&mut self) -> Vec<(bool, TypeExpr)> {
        if !self.eat("(") {
            let spread = self.eat("...");
            return vec![(spread, self.type_expr())];
        }
        let mut list = Vec::new();
        while !self.at(")") && !matches!(self.peek(), Tok::End | Tok::Newline) {
            let spread = self.eat("...");
            list.push((spread, self.type_expr()));
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")");
        list
    }
}
