//! What joins conditions: `||` and `&&`, which stop early, and `|` and `&`, which look at elements.

use super::ast::{BinaryOp, Expr, ExprKind};
use super::parser::Parser;
use quadra_base::Span;

impl Parser {
    pub(super) fn or(&mut self) -> Expr {
        let start = self.span();
        let mut left = self.and();
        while self.eat("||") {
            self.link();
            let right = self.and();
            let span = self.since(start);
            left = self.expr(span, ExprKind::Or(Box::new(left), Box::new(right)));
        }
        left
    }

    fn and(&mut self) -> Expr {
        let start = self.span();
        let mut left = self.any_of();
        while self.eat("&&") {
            self.link();
            let right = self.any_of();
            let span = self.since(start);
            left = self.expr(span, ExprKind::And(Box::new(left), Box::new(right)));
        }
        left
    }

    /// `a | b`, which is 1 where one of both is not 0: element by element, both sides evaluated. In the arms of `match` outside
    /// of parentheses the bar begins the next arm.
    fn any_of(&mut self) -> Expr {
        let start = self.span();
        let mut left = self.all_of();
        while !self.in_match && self.eat("|") {
            self.link();
            let right = self.all_of();
            left = self.joined(BinaryOp::Add, left, right, start);
        }
        left
    }

    /// `a & b`, which is 1 where neither is 0.
    fn all_of(&mut self) -> Expr {
        let start = self.span();
        let mut left = self.binary(0);
        while self.eat("&") {
            self.link();
            let right = self.binary(0);
            left = self.joined(BinaryOp::ElemMul, left, right, start);
        }
        left
    }

    /// `((a != 0) op (b != 0)) != 0`.
    fn joined(&mut self, op: BinaryOp, a: Expr, b: Expr, start: Span) -> Expr {
        let span = self.since(start);
        let (a, b) = (self.unlike_zero(a, span), self.unlike_zero(b, span));
        let both = self.expr(span, ExprKind::Binary(op, Box::new(a), Box::new(b)));
        self.unlike_zero(both, span)
    }

    fn unlike_zero(&mut self, e: Expr, span: Span) -> Expr {
        let zero = self.expr(span, ExprKind::Int(0));
        self.expr(span, ExprKind::Binary(BinaryOp::Ne, Box::new(e), Box::new(zero)))
    }
}
