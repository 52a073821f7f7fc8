//! The parser's state and its entry points. Statements are in `statement`, expressions in `expression`, types in
//! `typename`, functions and lambdas in `callable`.

use super::ast::{Expr, ExprKind, Module, NodeId};
use super::brackets::Ends;
use super::token::{Tok, Token};
use super::{habits, lexer};
use quadra_base::{Diagnostic, FileId, Span};

/// Nesting of expressions and blocks beyond which a program is refused, so that no stage overflows its stack.
const DEPTH_LIMIT: u32 = 200;
/// The same for the height of an expression's tree, which operators, calls and indices in a row make, too.
const HEIGHT_LIMIT: u32 = 2000;
/// Errors after which the rest of a file is not read.
const MOST_ERRORS: usize = 100;

/// Parses one file. `next_id` numbers the nodes, so that several files of a program have distinct ids.
pub fn parse(file: FileId, text: &str, next_id: &mut NodeId) -> (Module, Vec<Diagnostic>) {
    let (tokens, mut diagnostics) = lexer::lex(file, text);
    diagnostics.truncate(MOST_ERRORS);
    let mut parser = Parser::new(tokens, diagnostics, *next_id);
    let body = parser.statements_to_end();
    *next_id = parser.next_id;
    (Module { body }, parser.diagnostics)
}

/// Parses one expression that takes up the whole text, as `eval` does.
pub fn parse_expression(file: FileId, text: &str, next_id: &mut NodeId) -> (Expr, Vec<Diagnostic>) {
    let (tokens, diagnostics) = lexer::lex(file, text);
    let mut parser = Parser::new(tokens, diagnostics, *next_id);
    let expr = parser.expression();
    parser.skip_newlines();
    if !matches!(parser.peek(), Tok::End) {
        parser.unexpected("the end of the expression");
    }
    *next_id = parser.next_id;
    (expr, parser.diagnostics)
}

/// Parses a type given as text, as in `type(x, "vec[int]")`.
pub fn parse_type(file: FileId, text: &str) -> (super::ast::TypeExpr, Vec<Diagnostic>) {
    let (tokens, diagnostics) = lexer::lex(file, text);
    let mut parser = Parser::new(tokens, diagnostics, 0);
    let ty = parser.type_expr();
    parser.skip_newlines();
    if !matches!(parser.peek(), Tok::End) {
        parser.unexpected("the end of the type");
    }
    (ty, parser.diagnostics)
}

/// Which words end blocks in this file: settled by the first one.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum EndStyle {
    Undecided,
    New,
    Legacy,
}

pub(super) struct Parser {
    tokens: Vec<Token>,
    at: usize,
    pub(super) next_id: NodeId,
    pub(super) diagnostics: Vec<Diagnostic>,
    depth: u32,
    /// How high the tree of the expression is that is read at this level of nesting.
    height: u32,
    pub(super) style: EndStyle,
    /// Lambdas are off while a pattern of `match` is read.
    pub(super) no_lambda: bool,
    /// Whether a bar begins the next arm of a `match`.
    pub(super) in_match: bool,
    /// Nesting of function bodies and of loops within the innermost one, for messages.
    pub(super) functions: u32,
    pub(super) loops: u32,
    pub(super) blocks: u32,
    pub(super) ends: Ends,
}

impl Parser {
    fn new(tokens: Vec<Token>, diagnostics: Vec<Diagnostic>, next_id: NodeId) -> Self {
        Parser {
            tokens,
            at: 0,
            next_id,
            diagnostics,
            depth: 0,
            height: 0,
            style: EndStyle::Undecided,
            no_lambda: false,
            in_match: false,
            functions: 0,
            loops: 0,
            blocks: 0,
            ends: Ends::default(),
        }
    }

    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Goes back to an earlier position and forgets the diagnostics since.
    pub(super) fn rewind(&mut self, position: usize, diagnostics: usize) {
        self.at = position;
        self.diagnostics.truncate(diagnostics);
    }

    pub(super) fn peek(&self) -> &Tok {
        &self.tokens[self.at.min(self.tokens.len() - 1)].kind
    }

    pub(super) fn peek_at(&self, ahead: usize) -> &Tok {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)].kind
    }

    pub(super) fn token(&self) -> &Token {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    pub(super) fn token_at(&self, ahead: usize) -> &Token {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    pub(super) fn span(&self) -> Span {
        self.token().span
    }

    pub(super) fn previous_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    pub(super) fn bump(&mut self) -> Token {
        let token = self.token().clone();
        if self.at < self.tokens.len() - 1 {
            self.at += 1;
        }
        token
    }

    pub(super) fn at(&self, punct: &str) -> bool {
        matches!(self.peek(), Tok::Punct(p) if *p == punct)
    }

    pub(super) fn at_keyword(&self, word: &str) -> bool {
        matches!(self.peek(), Tok::Keyword(k) if *k == word)
    }

    pub(super) fn eat(&mut self, punct: &str) -> bool {
        let found = self.at(punct);
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn eat_keyword(&mut self, word: &str) -> bool {
        let found = self.at_keyword(word);
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn expect(&mut self, punct: &str) -> bool {
        let found = self.eat(punct);
        if !found {
            self.unexpected(&format!("'{punct}'"));
        }
        found
    }

    pub(super) fn error(&mut self, diagnostic: Diagnostic) {
        // One message per place: what follows from the first error at a place says nothing new. Nor does the end of a program
        // that is not read to its end.
        if self.diagnostics.last().is_none_or(|d| d.span != diagnostic.span && d.code != "Q0111") {
            self.diagnostics.push(diagnostic);
        }
        if self.diagnostics.len() >= MOST_ERRORS {
            self.at = self.tokens.len() - 1;
        }
    }

    /// One more operator, call or index behind the last one: the tree grows by a level.
    pub(super) fn link(&mut self) {
        self.height += 1;
        if self.height == HEIGHT_LIMIT {
            let message = format!("more than {HEIGHT_LIMIT} operators, calls or indices in a row");
            self.error(Diagnostic::error("Q0111", message).at(self.span()).help("give parts of it names"));
            self.at = self.tokens.len() - 1;
        }
    }

    pub(super) fn unexpected(&mut self, wanted: &str) {
        let token = self.token();
        let message = format!("expected {wanted}, found {}", token.kind.describe());
        let mut diagnostic = Diagnostic::error("Q0110", message).at(token.span);
        let at = self.at.min(self.tokens.len() - 1);
        let line = self.tokens[..at].iter().rposition(|t| matches!(t.kind, Tok::Newline | Tok::Punct(";")));
        if let Some(help) = habits::help(wanted, &self.tokens[line.map_or(0, |n| n + 1)..=at]) {
            diagnostic = diagnostic.help(help);
        }
        self.error(diagnostic);
    }

    /// The tokens of the file, those that are still to come included.
    pub(super) fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    pub(super) fn id(&mut self) -> NodeId {
        self.next_id += 1;
        self.next_id
    }

    pub(super) fn expr(&mut self, span: Span, kind: ExprKind) -> Expr {
        Expr { id: self.id(), span, kind }
    }

    /// The place from `start` to the last token read, cut at the end of its first line.
    pub(super) fn since(&self, start: Span) -> Span {
        let last = self.previous_span();
        if last.line == start.line && last.file == start.file && last.column >= start.column {
            Span { len: last.column + last.len - start.column, ..start }
        } else {
            start
        }
    }

    /// Runs `inner` one level deeper, or reports that the program is nested too deeply and skips to its end: what closes
    /// the levels that were not read would be errors, too.
    pub(super) fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> T, refused: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= DEPTH_LIMIT {
            let diagnostic = Diagnostic::error("Q0111", format!("nested more than {DEPTH_LIMIT} levels deep"))
                .at(self.span())
                .help("give parts of it names");
            self.error(diagnostic);
            self.at = self.tokens.len() - 1;
            return refused(self);
        }
        self.depth += 1;
        let outer = std::mem::take(&mut self.height);
        let result = inner(self);
        self.height = outer.max(self.height + 1);
        self.depth -= 1;
        result
    }

    pub(super) fn skip_newlines(&mut self) {
        while matches!(self.peek(), Tok::Newline) || self.at(";") {
            self.bump();
        }
    }

    /// Skips to the end of the statement.
    pub(super) fn recover(&mut self) {
        let mut depth = 0i32;
        loop {
            match self.peek() {
                Tok::End | Tok::Newline => return,
                Tok::Punct(";") if depth <= 0 => return,
                Tok::Punct("(" | "[" | "{") => depth += 1,
                Tok::Punct(")" | "]" | "}") => depth -= 1,
                _ => {}
            }
            self.bump();
        }
    }
}
