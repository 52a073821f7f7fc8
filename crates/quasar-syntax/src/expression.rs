//! Expressions, by precedence.

use super::ast::{Arg, BinaryOp, Expr, ExprKind, FunctionKind, Param, Text, TypeExprKind, UnaryOp};
use super::parser::Parser;
use super::token::{LITERAL_MODIFIERS, Tok};
use quadra_base::{Diagnostic, Span};

/// Names that, with brackets or braces and a call after them, are types rather than variables.
const ARRAY_TYPES: &[&str] =
    &["vec", "mat", "cube", "cvec", "cmat", "ccube", "ivec", "imat", "icube", "shared", "shared_zeros", "cell"];

impl Parser {
    /// Any expression: a lambda or an assignment.
    pub(super) fn expression(&mut self) -> Expr {
        self.nested(Self::expression_inner, Self::missing)
    }

    fn missing(&mut self) -> Expr {
        let span = self.span();
        self.expr(span, ExprKind::Missing)
    }

    fn expression_inner(&mut self) -> Expr {
        if self.lambda_follows() {
            return self.lambda();
        }
        let start = self.span();
        let target = self.ternary();
        let Tok::Punct(punct) = *self.peek() else { return target };
        let Some(op) = assignment_operator(punct) else { return target };
        let operator = self.span();
        self.bump();
        let value = self.expression();
        let span = self.since(start);
        if let (None, ExprKind::Array(items)) = (op, &target.kind) {
            let targets = items.clone();
            for item in &targets {
                self.check_target(item, operator);
            }
            return self.expr(span, ExprKind::MultiAssign { targets, value: Box::new(value) });
        }
        self.check_target(&target, operator);
        if let (None, Some(other)) = (op, self.resized(&target, &value, span)) {
            return other;
        }
        self.expr(span, ExprKind::Assign { target: Box::new(target), op, value: Box::new(value) })
    }

    fn check_target(&mut self, target: &Expr, operator: Span) {
        let fine = match &target.kind {
            ExprKind::Name(_)
            | ExprKind::Placeholder
            | ExprKind::Index { .. }
            | ExprKind::Field { .. }
            | ExprKind::Missing => true,
            ExprKind::TypeCheck(inner, _) => return self.check_target(&inner.clone(), operator),
            _ => false,
        };
        if !fine {
            let diagnostic =
                Diagnostic::error("Q0123", "the left side of an assignment must be a variable, an element or a field")
                    .at(target.span)
                    .also(operator, "the assignment")
                    .help("use '==' to compare");
            self.error(diagnostic);
        }
    }

    pub(super) fn ternary(&mut self) -> Expr {
        let start = self.span();
        let condition = self.or();
        if !self.eat("?") {
            return condition;
        }
        let yes = self.ternary_branch();
        self.expect(":");
        let no = self.ternary_branch();
        let span = self.since(start);
        self.expr(span, ExprKind::Ternary(Box::new(condition), Box::new(yes), Box::new(no)))
    }

    fn ternary_branch(&mut self) -> Expr {
        if self.lambda_follows() {
            return self.lambda();
        }
        self.nested(Self::ternary, Self::missing)
    }

    /// Left-associative levels: 0 equality, 1 order, 2 range, 3 sums, 4 products.
    pub(super) fn binary(&mut self, level: usize) -> Expr {
        const LEVELS: &[&[(&str, BinaryOp)]] = &[
            &[("==", BinaryOp::Eq), ("!=", BinaryOp::Ne)],
            &[("<", BinaryOp::Lt), ("<=", BinaryOp::Le), (">", BinaryOp::Gt), (">=", BinaryOp::Ge)],
            &[],
            &[("+", BinaryOp::Add), ("-", BinaryOp::Sub)],
            &[("*", BinaryOp::Mul), ("/", BinaryOp::Div), (".*", BinaryOp::ElemMul), ("./", BinaryOp::ElemDiv)],
        ];
        // The binary operator that is a function: `A \ b` solves A*x = b.
        const SOLVES: &str = "\\";
        if level == 2 {
            return self.range();
        }
        if level == 5 {
            return self.unary();
        }
        let start = self.span();
        let mut left = self.binary(level + 1);
        loop {
            let Tok::Punct(punct) = self.peek() else { return left };
            if level == 4 && *punct == SOLVES {
                self.link();
                self.bump();
                let right = self.binary(level + 1);
                let span = self.since(start);
                left = self.builtin_call("mldivide", vec![left, right], span);
                continue;
            }
            let Some((_, op)) = LEVELS[level].iter().find(|(p, _)| p == punct) else { return left };
            self.link();
            self.bump();
            let right = self.binary(level + 1);
            let span = self.since(start);
            left = self.expr(span, ExprKind::Binary(*op, Box::new(left), Box::new(right)));
        }
    }

    fn range(&mut self) -> Expr {
        let start = self.span();
        let from = self.binary(3);
        if !self.eat("..") {
            return from;
        }
        let second = self.binary(3);
        let (step, to) = if self.eat("..") { (Some(Box::new(second)), self.binary(3)) } else { (None, second) };
        let span = self.since(start);
        self.expr(span, ExprKind::Range { from: Box::new(from), step, to: Box::new(to) })
    }

    fn unary_op(&mut self) -> Option<UnaryOp> {
        let op = match self.peek() {
            Tok::Punct("-") => UnaryOp::Neg,
            Tok::Punct("+") => UnaryOp::Plus,
            Tok::Punct("!") => UnaryOp::Not,
            _ => return None,
        };
        self.bump();
        Some(op)
    }

    fn unary(&mut self) -> Expr {
        let start = self.span();
        match self.unary_op() {
            Some(op) => {
                let inner = self.nested(Self::unary, Self::missing);
                let span = self.since(start);
                self.expr(span, ExprKind::Unary(op, Box::new(inner)))
            }
            None => self.power(),
        }
    }

    fn power(&mut self) -> Expr {
        let start = self.span();
        let mut left = self.postfix();
        loop {
            let op = match self.peek() {
                Tok::Punct("^") => BinaryOp::Pow,
                Tok::Punct(".^") => BinaryOp::ElemPow,
                _ => return left,
            };
            self.link();
            self.bump();
            let from = self.span();
            let sign = self.unary_op();
            let mut right = self.postfix();
            if let Some(sign) = sign {
                let span = self.since(from);
                right = self.expr(span, ExprKind::Unary(sign, Box::new(right)));
            }
            let span = self.since(start);
            self.suspect_power(&left, &right, span);
            left = self.expr(span, ExprKind::Binary(op, Box::new(left), Box::new(right)));
        }
    }

    fn postfix(&mut self) -> Expr {
        let start = self.span();
        let mut base = self.primary();
        loop {
            let kind = match self.peek() {
                Tok::Punct("(") => {
                    self.bump();
                    let args = if self.at(")") { Vec::new() } else { self.without_pattern(Self::arguments) };
                    self.expect(")");
                    if args.iter().any(|a| matches!(a.value.kind, ExprKind::Placeholder)) {
                        base = self.partial(base, args, start);
                        self.link();
                        continue;
                    }
                    self.filled(&base, &args).unwrap_or(ExprKind::Call { callee: Box::new(base), args })
                }
                Tok::Punct("[") => {
                    self.bump();
                    self.without_pattern(|p| p.indices_of(base))
                }
                Tok::Punct(".") if matches!(self.peek_at(1), Tok::Name(_) | Tok::Keyword(_)) => {
                    self.bump();
                    let name_span = self.span();
                    let name = match self.bump().kind {
                        Tok::Name(name) => name,
                        Tok::Keyword(word) => word.into(),
                        _ => "".into(),
                    };
                    match (&base.kind, &*name, self.peek()) {
                        // As MATLAB's users call dictionaries.
                        (ExprKind::Name(n), "Map", Tok::Punct("(")) if &**n == "containers" => {
                            ExprKind::Name("dictionary".into())
                        }
                        (ExprKind::Name(n), "Map", _) if &**n == "containers" => {
                            self.builtin_call("dictionary", Vec::new(), name_span).kind
                        }
                        _ => ExprKind::Field { base: Box::new(base), name, name_span },
                    }
                }
                _ => return base,
            };
            let span = self.since(start);
            base = self.expr(span, kind);
            self.link();
        }
    }

    /// `f(_, 3)` is the lambda `x -> f(x, 3)`. The parameter's name has a blank, so that no program can mean it.
    fn partial(&mut self, callee: Expr, mut args: Vec<Arg>, start: Span) -> Expr {
        let mut params = Vec::new();
        for arg in args.iter_mut().filter(|a| matches!(a.value.kind, ExprKind::Placeholder)) {
            let name: Text = format!("_ {}", params.len() + 1).into();
            let span = arg.value.span;
            arg.value = self.expr(span, ExprKind::Name(name.clone()));
            params.push(Param { name, span, variadic: false, ty: None, default: None });
        }
        let span = self.since(start);
        let call = self.expr(span, ExprKind::Call { callee: Box::new(callee), args });
        self.lambda_of(FunctionKind::Host, params, call, start)
    }

    /// Lambdas are allowed again inside brackets of a pattern.
    fn without_pattern<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.no_lambda, false);
        let arm = std::mem::replace(&mut self.in_match, false);
        let result = inner(self);
        (self.no_lambda, self.in_match) = (outer, arm);
        result
    }

    /// Arguments of a call or of a command, at least one. A semicolon may stand before the closing parenthesis, as in a sequence.
    pub(super) fn arguments(&mut self) -> Vec<Arg> {
        let mut args = Vec::new();
        loop {
            let name = match (self.peek().clone(), self.peek_at(1)) {
                (Tok::Name(name), Tok::Punct(":=")) => {
                    self.bump();
                    self.bump();
                    Some(name)
                }
                _ => None,
            };
            let value = self.item();
            args.push(Arg { name, value });
            if self.at(";") && matches!(self.peek_at(1), Tok::Punct(")")) {
                self.bump();
            }
            if !self.eat(",") {
                return args;
            }
        }
    }

    /// `...e`, `e` or `e : T`.
    fn item(&mut self) -> Expr {
        let start = self.span();
        if self.eat("...") {
            let inner = self.expression();
            let span = self.since(start);
            return self.expr(span, ExprKind::Spread(Box::new(inner)));
        }
        let inner = self.expression();
        if !self.eat(":") {
            return inner;
        }
        let ty = self.type_expr();
        let span = self.since(start);
        self.expr(span, ExprKind::TypeCheck(Box::new(inner), ty))
    }

    pub(super) fn indices(&mut self) -> Vec<Expr> {
        let mut items = Vec::new();
        while !self.at("]") && !matches!(self.peek(), Tok::End | Tok::Newline) {
            let start = self.span();
            let colon = self.at(":") && matches!(self.peek_at(1), Tok::Punct("," | "]"));
            if colon {
                self.bump();
                items.push(self.expr(start, ExprKind::Colon));
            } else {
                items.push(self.item());
            }
            if !self.eat(",") {
                break;
            }
            self.next_index();
        }
        if items.is_empty() {
            self.unexpected("an index");
        }
        items
    }

    fn primary(&mut self) -> Expr {
        let start = self.span();
        let kind = match self.peek().clone() {
            Tok::Int(v) => self.bump_as(ExprKind::Int(v)),
            Tok::Float(v) => self.bump_as(ExprKind::Float(v)),
            Tok::Imag(v) => self.bump_as(ExprKind::Imag(v)),
            Tok::Str(text) => self.bump_as(ExprKind::Str(text)),
            Tok::Keyword("end") if self.inside_brackets() => return self.last_index(),
            Tok::Keyword("nullptr") => self.bump_as(ExprKind::Null),
            Tok::Keyword("type") if matches!(self.peek_at(1), Tok::Punct("(")) => {
                self.bump_as(ExprKind::Name("type".into()))
            }
            Tok::Name(name) => {
                if let Some(ty) = self.type_literal(&name) {
                    return ty;
                }
                self.bump();
                if &*name == "_" { ExprKind::Placeholder } else { ExprKind::Name(name) }
            }
            Tok::Punct("(") => return self.parenthesised(),
            Tok::Punct("[") => {
                self.bump();
                ExprKind::Array(self.without_pattern(|p| p.items("]")))
            }
            Tok::Punct("{") => {
                self.bump();
                ExprKind::Cell(self.without_pattern(|p| p.items("}")))
            }
            Tok::Punct("`") => {
                self.bump();
                ExprKind::Cell(self.without_pattern(|p| p.items("'")))
            }
            _ => {
                self.unexpected("an expression");
                return self.missing();
            }
        };
        let span = self.since(start);
        self.expr(span, kind)
    }

    fn bump_as(&mut self, kind: ExprKind) -> ExprKind {
        self.bump();
        kind
    }

    fn items(&mut self, close: &str) -> Vec<Expr> {
        let mut items = Vec::new();
        while !self.at(close) && !matches!(self.peek(), Tok::End | Tok::Newline) {
            items.push(self.item());
            if self.at(";") {
                // Names stand for arrays, which are put below each other.
                let arrays = items.iter().any(|i| matches!(i.kind, ExprKind::Name(_) | ExprKind::Index { .. }));
                let diagnostic = Diagnostic::error("Q0124", "';' does not separate matrix rows")
                    .at(self.span())
                    .help("write every row in its own brackets: [[1,2],[3,4]]");
                let diagnostic = match arrays {
                    true => diagnostic.help("arrays are put below each other by vertcat(a,b)"),
                    false => diagnostic,
                };
                self.error(diagnostic);
                self.bump();
                continue;
            }
            if !self.eat(",") {
                break;
            }
        }
        self.expect(close);
        items
    }

    /// `(e)`, `(e : T)` or `(e1; e2; …)`.
    fn parenthesised(&mut self) -> Expr {
        let start = self.span();
        self.bump();
        let mut sequence = vec![self.without_pattern(Self::item)];
        while self.eat(";") {
            if self.at(")") {
                break;
            }
            let item = self.without_pattern(Self::item);
            sequence.push(item);
        }
        self.expect(")");
        let span = self.since(start);
        match sequence.pop() {
            Some(only) if sequence.is_empty() => match only.kind {
                // The parentheses keep a comparison inside from being taken for something else; nothing else needs them.
                ExprKind::Array(_) => self.expr(span, ExprKind::Sequence(vec![only])),
                _ => Expr { span, ..only },
            },
            Some(last) => {
                sequence.push(last);
                self.expr(span, ExprKind::Sequence(sequence))
            }
            None => self.missing(),
        }
    }

    /// A type that stands as a value: `scalar'half`, `cube{4}`, and `mat[uint8](…)` where a call follows.
    fn type_literal(&mut self, name: &str) -> Option<Expr> {
        let start = self.span();
        let next_is_adjacent = !self.tokens_spaced_at(1);
        let modifier =
            next_is_adjacent && matches!(self.peek_at(1), Tok::Modifier(m) if LITERAL_MODIFIERS.contains(&&**m));
        let brace = next_is_adjacent && ARRAY_TYPES.contains(&name) && matches!(self.peek_at(1), Tok::Punct("{"));
        let bracket = ARRAY_TYPES.contains(&name) && matches!(self.peek_at(1), Tok::Punct("["));
        if !modifier && !brace && !bracket {
            return None;
        }
        let (position, diagnostics) = (self.position(), self.diagnostics.len());
        let ty = self.type_expr();
        let numeric = matches!(&ty.kind, TypeExprKind::Named { element: Some(_), .. });
        let failed = self.diagnostics.len() > diagnostics;
        if failed || (bracket && !(numeric && matches!(self.peek(), Tok::Punct("(" | "," | ")")))) {
            self.rewind(position, diagnostics);
            return None;
        }
        let span = self.since(start);
        Some(self.expr(span, ExprKind::Type(ty)))
    }

    fn tokens_spaced_at(&self, ahead: usize) -> bool {
        self.token_at(ahead).spaced
    }
}

fn assignment_operator(punct: &str) -> Option<Option<BinaryOp>> {
    Some(match punct {
        "=" => None,
        "+=" => Some(BinaryOp::Add),
        "-=" => Some(BinaryOp::Sub),
        "*=" => Some(BinaryOp::Mul),
        "/=" => Some(BinaryOp::Div),
        "^=" => Some(BinaryOp::Pow),
        ".*=" => Some(BinaryOp::ElemMul),
        "./=" => Some(BinaryOp::ElemDiv),
        ".^=" => Some(BinaryOp::ElemPow),
        "^^=" => Some(BinaryOp::Max),
        "__=" => Some(BinaryOp::Min),
        "&=" => Some(BinaryOp::BitAnd),
        "|=" => Some(BinaryOp::BitOr),
        "~=" => Some(BinaryOp::BitXor),
        _ => return None,
    })
}
