//! Statements and blocks.

use super::ast::{BinaryOp, Block, Expr, ExprKind, For, MatchArm, Stmt, StmtKind, TypeDef, TypeDefKind};
use super::habits;
use super::parser::{EndStyle, Parser};
use super::token::{COMMANDS, Tok};
use quadra_base::{Diagnostic, Span};
use std::rc::Rc;

impl Parser {
    pub(super) fn statements_to_end(&mut self) -> Block {
        let mut block = Block::new();
        loop {
            self.block_into(&mut block, &[]);
            match self.peek() {
                Tok::End => return block,
                Tok::Keyword(word) => {
                    let message = format!("'{word}' closes nothing here");
                    let diagnostic = Diagnostic::error("Q0116", message)
                        .at(self.span())
                        .help("remove it, or add the statement that it should close");
                    self.error(diagnostic);
                    self.bump();
                    self.recover();
                }
                _ => {
                    self.unexpected("a statement");
                    self.bump();
                    self.recover();
                }
            }
        }
    }

    /// Reads statements up to one of the closing words, which stays unread.
    pub(super) fn block(&mut self, closers: &[&str]) -> Block {
        let mut block = Block::new();
        self.blocks += 1;
        self.nested(
            |p| {
                p.block_into(&mut block, closers);
            },
            |_| (),
        );
        self.blocks -= 1;
        block
    }

    fn block_into(&mut self, block: &mut Block, closers: &[&str]) {
        const CLOSERS: &[&str] = &[
            "endfunction",
            "elseif",
            "else",
            "endif",
            "endfor",
            "endwhile",
            "until",
            "endmatch",
            "catch",
            "endtry",
            "endtype",
            "end",
        ];
        loop {
            self.skip_newlines();
            match self.peek() {
                Tok::End => return,
                Tok::Keyword(word) if closers.contains(word) || CLOSERS.contains(word) => return,
                Tok::Punct("|") if closers.contains(&"|") => return,
                _ => {}
            }
            let before = self.position();
            if let Some(statement) = self.statement() {
                block.push(statement);
            }
            self.statement_end(closers);
            if self.position() == before {
                self.bump();
            }
        }
    }

    /// After a statement: a line end, a semicolon, or what closes the block.
    fn statement_end(&mut self, closers: &[&str]) {
        match self.peek() {
            Tok::End | Tok::Newline | Tok::Punct(";") => {}
            Tok::Keyword(word) if closers.contains(word) => {}
            Tok::Punct("|") if closers.contains(&"|") => {}
            _ => {
                self.unexpected("the end of the statement");
                self.recover();
            }
        }
    }

    fn statement(&mut self) -> Option<Stmt> {
        let span = self.span();
        let kind = match self.peek().clone() {
            Tok::Attribute(text) => {
                self.bump();
                StmtKind::Attribute(text)
            }
            Tok::Keyword(word) => return self.keyword_statement(word, span),
            Tok::Name(name) if self.command_follows(&name) => {
                self.bump();
                let args = if self.statement_is_over() { Vec::new() } else { self.arguments() };
                StmtKind::Command { name, args }
            }
            Tok::Name(name) if self.type_comes_first(&name) => StmtKind::Expr(self.declaration_in_order_of_c()),
            _ => match self.words() {
                Some(stated) => StmtKind::Expr(stated?),
                None => {
                    let e = self.expression_statement();
                    StmtKind::Expr(self.by_name(e))
                }
            },
        };
        Some(Stmt { kind, span: self.since(span) })
    }

    /// `int n = 3`: the type stands in front, as in C.
    fn type_comes_first(&self, name: &str) -> bool {
        const TYPES: &[&str] = &["int", "scalar", "cscalar", "string", "vec", "mat", "cube", "cvec", "cmat", "ccube"];
        TYPES.contains(&name)
            && matches!(self.peek_at(1), Tok::Name(_))
            && matches!(self.peek_at(2), Tok::Punct("=" | ";") | Tok::Newline)
    }

    fn declaration_in_order_of_c(&mut self) -> Expr {
        let start = self.span();
        let ty = self.type_expr();
        let name_span = self.span();
        let name = self.name("the variable");
        let target = self.expr(name_span, ExprKind::Name(name.clone()));
        let value = self.eat("=").then(|| Box::new(self.expression()));
        let span = self.since(start);
        let warning = Diagnostic::warning("Q0126", format!("'{name}' is declared as in C"))
            .at(span)
            .help(format!("write {name} : type = value"));
        self.error(warning);
        self.expr(span, ExprKind::Declare { target: Box::new(target), ty, value })
    }

    fn statement_is_over(&self) -> bool {
        matches!(self.peek(), Tok::End | Tok::Newline | Tok::Punct(";" | "|") | Tok::Keyword(_))
            && !self.at_keyword("nullptr")
            && !self.at_keyword("__device__")
            && !self.at_keyword("type")
    }

    /// Whether `print` and its kin stand as a command here rather than as a call or a variable.
    fn command_follows(&self, name: &str) -> bool {
        const STORES: [&str; 6] = ["=", "+=", "-=", "*=", "/=", "^="];
        if !COMMANDS.contains(&name) || self.switches_warnings() {
            return false;
        }
        let stores = |t: &Tok| matches!(t, Tok::Punct(p) if STORES.contains(p));
        match self.peek_at(1) {
            Tok::Punct(":" | "." | "->") => false,
            t if stores(t) => false,
            // An element of a variable of this name, unless it is an array that is printed.
            Tok::Punct("[") => !stores(self.behind_brackets()),
            // The call form has its closing parenthesis at the end of the statement.
            Tok::Punct("(") => {
                let last = Tok::Punct(";");
                let end = [Tok::End, Tok::Newline, last, Tok::Punct("|")];
                let behind = self.behind_brackets();
                !end.contains(behind) && !matches!(behind, Tok::Keyword(_))
            }
            _ => true,
        }
    }

    /// What stands behind the brackets that the next token opens; the end if they are not closed in this line.
    fn behind_brackets(&self) -> &Tok {
        let mut depth = 0;
        for i in 1.. {
            match self.peek_at(i) {
                Tok::Punct("(" | "[" | "{" | "`") => depth += 1,
                Tok::Punct(")" | "]" | "}" | "'") => depth -= 1,
                end @ (Tok::End | Tok::Newline) => return end,
                _ => {}
            }
            if depth == 0 {
                return self.peek_at(i + 1);
            }
        }
        &Tok::End
    }

    fn keyword_statement(&mut self, word: &'static str, span: Span) -> Option<Stmt> {
        let kind = match word {
            "function" => return Some(self.function_definition()),
            "if" => self.if_statement(span),
            "for" => self.for_statement(span),
            "while" => self.while_statement(span),
            "repeat" => self.repeat_statement(),
            "match" => self.match_statement(span),
            "try" => self.try_statement(span),
            "type" if matches!(self.peek_at(1), Tok::Name(_)) => self.type_definition(span),
            "break" | "continue" => {
                self.bump();
                if self.loops == 0 {
                    let diagnostic = Diagnostic::error("Q0117", format!("'{word}' outside a loop"))
                        .at(span)
                        .help("it belongs into the body of for, while or repeat");
                    self.error(diagnostic);
                }
                if word == "break" { StmtKind::Break } else { StmtKind::Continue }
            }
            "return" => {
                self.bump();
                StmtKind::Return
            }
            "import" => self.import_statement(span)?,
            "syncthreads" | "memfence" => {
                self.bump();
                let mut scope = None;
                if self.eat("(") {
                    scope = Some(self.name("block, warp, grid or host"));
                    self.expect(")");
                }
                StmtKind::Sync { fence: word == "memfence", scope }
            }
            "nullptr" | "__device__" | "__kernel__" | "type" => StmtKind::Expr(self.expression_statement()),
            _ => {
                let message = format!("a statement cannot start with '{word}'");
                let diagnostic = Diagnostic::error("Q0113", message).at(span).help("it is a reserved word");
                self.error(diagnostic);
                self.bump();
                self.recover();
                return None;
            }
        };
        Some(Stmt { kind, span: self.since(span) })
    }

    fn import_statement(&mut self, span: Span) -> Option<StmtKind> {
        self.bump();
        let Tok::Str(path) = self.peek().clone() else {
            self.unexpected("the file name in quotes");
            return None;
        };
        self.bump();
        if self.functions > 0 || self.blocks > 0 {
            let diagnostic = Diagnostic::error("Q0118", "import is only allowed at the global scope")
                .at(span)
                .help("move it to the beginning of the file");
            self.error(diagnostic);
            return None;
        }
        Some(StmtKind::Import(path))
    }

    /// The line after `if`, `elseif` and `else` must be its own.
    fn own_line(&mut self, word: &str) {
        if !matches!(self.peek(), Tok::Newline | Tok::End) {
            let then = matches!(self.peek(), Tok::Name(n) if **n == *"then");
            let diagnostic = Diagnostic::error("Q0119", format!("'{word}' needs a line of its own"))
                .at(self.span())
                .help(if then { "remove the word" } else { "break the line here" });
            self.error(diagnostic);
        }
    }

    fn if_statement(&mut self, span: Span) -> StmtKind {
        let mut arms = Vec::new();
        let mut otherwise = Block::new();
        loop {
            let word = if arms.is_empty() { "if" } else { "elseif" };
            self.bump();
            let condition = self.condition();
            self.own_line(word);
            let body = self.block(&["elseif", "else", "endif", "end"]);
            arms.push((condition, body));
            if !self.at_keyword("elseif") {
                break;
            }
        }
        if self.eat_keyword("else") {
            self.own_line("else");
            otherwise = self.block(&["endif", "end"]);
        }
        // Files of both styles close it with its own word, and what comes from MATLAB with `end`.
        if !self.eat_keyword("endif") && !self.eat_keyword("end") {
            self.missing_close("if", "endif", span);
        }
        StmtKind::If { arms, otherwise }
    }

    fn missing_close(&mut self, word: &str, closer: &str, opened: Span) {
        let message = format!("expected '{closer}', found {}", self.peek().describe());
        let diagnostic = Diagnostic::error("Q0120", message)
            .at(self.span())
            .also(opened, format!("this '{word}' is not closed"))
            .help(format!("add '{closer}'"));
        self.error(diagnostic);
        if self.at_keyword("end") {
            self.bump();
        }
    }

    /// Reads the word that closes a block, in the style of the file.
    pub(super) fn close(&mut self, word: &str, closer: &str, opened: Span) {
        let style = match self.peek() {
            Tok::Keyword(k) if *k == closer => EndStyle::New,
            Tok::Keyword("end") => EndStyle::Legacy,
            _ => return self.missing_close(word, closer, opened),
        };
        if self.style == EndStyle::Undecided {
            self.style = style;
        }
        if self.style != style {
            let message = "old-style 'end' and new-style block endings are mixed in one file";
            let diagnostic = Diagnostic::error("Q0121", message)
                .at(self.span())
                .help(format!("close every '{word}' with '{closer}'"));
            self.error(diagnostic);
        }
        self.bump();
    }

    fn for_statement(&mut self, span: Span) -> StmtKind {
        self.bump();
        let name_span = self.span();
        let name = self.name("the loop variable");
        self.expect("=");
        let over = self.expression();
        let head = self.since(span);
        let body = self.loop_body(&["endfor", "end"]);
        self.close("for", "endfor", span);
        let id = self.id();
        StmtKind::For(Box::new(For { id, name, name_span, over, body, span: head }))
    }

    fn loop_body(&mut self, closers: &[&str]) -> Block {
        if !matches!(self.peek(), Tok::Newline | Tok::End) && !self.at(";") && !closers.contains(&"until") {
            self.unexpected("a line end or ';' before the body of the loop");
            self.recover();
        }
        self.loops += 1;
        let body = self.block(closers);
        self.loops -= 1;
        body
    }

    /// What `if`, `while` and `until` test. It may assign, which is seldom meant.
    fn condition(&mut self) -> Expr {
        let condition = self.expression();
        if let ExprKind::Assign { op, .. } = &condition.kind {
            let help = match op {
                None => "'==' compares; an assignment is clearer on a line of its own",
                Some(BinaryOp::BitXor) => "'!=' compares; x ~= y puts the exclusive or of x and y into x",
                Some(_) => "an assignment is clearer on a line of its own",
            };
            let diagnostic =
                Diagnostic::warning("Q0125", "the condition is an assignment").at(condition.span).help(help);
            self.error(diagnostic);
        }
        condition
    }

    fn while_statement(&mut self, span: Span) -> StmtKind {
        self.bump();
        let condition = self.condition();
        let body = self.loop_body(&["endwhile", "end"]);
        self.close("while", "endwhile", span);
        StmtKind::While { condition, body }
    }

    fn repeat_statement(&mut self) -> StmtKind {
        let span = self.span();
        self.bump();
        let body = self.loop_body(&["until"]);
        if !self.eat_keyword("until") {
            self.missing_close("repeat", "until", span);
        }
        let condition = self.condition();
        StmtKind::Repeat { body, condition }
    }

    fn match_statement(&mut self, span: Span) -> StmtKind {
        self.bump();
        let value = self.expression();
        if !self.eat_keyword("with") {
            self.unexpected("'with'");
        }
        let mut arms = Vec::new();
        self.skip_newlines();
        while self.eat("|") {
            let outer = std::mem::replace(&mut self.in_match, true);
            let patterns = self.patterns();
            self.expect("->");
            let body = self.block(&["|", "endmatch", "end"]);
            self.in_match = outer;
            arms.push(MatchArm { patterns, body });
            self.skip_newlines();
        }
        self.close("match", "endmatch", span);
        StmtKind::Match { value, arms }
    }

    fn patterns(&mut self) -> Vec<super::ast::Expr> {
        if matches!(self.peek(), Tok::Name(n) if &**n == "_") && matches!(self.peek_at(1), Tok::Punct("->")) {
            self.bump();
            return Vec::new();
        }
        let outer = std::mem::replace(&mut self.no_lambda, true);
        let mut patterns = Vec::new();
        let list = self.at("(")
            && self.matching_parenthesis().is_some_and(|close| matches!(self.peek_at(close + 1), Tok::Punct("->")));
        if list {
            self.bump();
            while !self.at(")") && !matches!(self.peek(), Tok::End | Tok::Newline) {
                patterns.push(self.ternary());
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")");
        } else {
            patterns.push(self.ternary());
        }
        self.no_lambda = outer;
        patterns
    }

    fn try_statement(&mut self, span: Span) -> StmtKind {
        self.bump();
        let body = self.block(&["catch", "endtry", "end"]);
        let mut name = None;
        let mut handler = Block::new();
        if self.eat_keyword("catch") {
            if matches!(self.peek(), Tok::Name(_)) && matches!(self.peek_at(1), Tok::Newline | Tok::Punct(";")) {
                name = Some(self.name("the error"));
            }
            handler = self.block(&["endtry", "end"]);
        }
        self.close("try", "endtry", span);
        StmtKind::Try { body, name, handler }
    }

    fn type_definition(&mut self, span: Span) -> StmtKind {
        self.bump();
        let name = self.name("the type");
        self.expect(":");
        let (mutable, dynamic) = (self.eat_keyword("mutable"), self.eat_keyword("dynamic"));
        let kind = if self.eat_keyword("class") {
            self.class_body(mutable, dynamic, span)
        } else {
            TypeDefKind::Alias(self.type_expr())
        };
        StmtKind::TypeDef(Rc::new(TypeDef { name, span: self.since(span), kind }))
    }

    fn class_body(&mut self, mutable: bool, dynamic: bool, span: Span) -> TypeDefKind {
        let mut fields = Vec::new();
        loop {
            self.skip_newlines();
            if !matches!(self.peek(), Tok::Name(_)) {
                break;
            }
            let field = self.name("a field");
            self.expect(":");
            let ty = self.type_expr();
            fields.push((field, ty));
            if !matches!(self.peek(), Tok::Newline | Tok::End) && !self.at(";") {
                self.unexpected("the end of the line");
                self.recover();
            }
        }
        self.close("class", "endtype", span);
        TypeDefKind::Class { mutable, dynamic, fields }
    }

    /// A declaration or an expression.
    fn expression_statement(&mut self) -> Expr {
        let start = self.span();
        let target = self.expression();
        if !self.at(":") {
            return target;
        }
        if !matches!(target.kind, ExprKind::Name(_) | ExprKind::Field { .. }) {
            let diagnostic = Diagnostic::error("Q0122", "only a variable or a field can be declared").at(target.span);
            if matches!(self.peek_at(1), Tok::Int(_) | Tok::Float(_)) {
                self.error(diagnostic.help(habits::RANGE));
                self.recover();
                return target;
            }
            self.error(diagnostic.help("write 'name : type' or 'name : type = value'"));
        }
        self.bump();
        let ty = self.type_expr();
        let value = self.eat("=").then(|| Box::new(self.expression()));
        let span = self.since(start);
        self.expr(span, ExprKind::Declare { target: Box::new(target), ty, value })
    }
}
