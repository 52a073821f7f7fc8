//! Text to tokens. The lexer knows open brackets, because a line end inside them does not end a statement and because an
//! apostrophe closes a cell quote only where one is open.

use super::token::{COMMANDS, CONTINUES_AFTER, CONTINUES_BEFORE, KEYWORDS, LITERAL_MODIFIERS, PUNCTUATION, Tok, Token};
use quadra_base::{Diagnostic, FileId, Span};

/// Tokens of `text`, ending with [`Tok::End`], and what is wrong with it. Never fails.
pub fn lex(file: FileId, text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut lexer = Lexer {
        file,
        chars: text.chars().collect(),
        at: 0,
        line: 1,
        line_start: 0,
        open: Vec::new(),
        spaced: false,
        tokens: Vec::new(),
        diagnostics: Vec::new(),
    };
    lexer.run();
    (join_lines(lexer.tokens), lexer.diagnostics)
}

struct Lexer {
    file: FileId,
    chars: Vec<char>,
    at: usize,
    line: u32,
    line_start: usize,
    /// Brackets that are open, innermost last.
    open: Vec<char>,
    spaced: bool,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
}

impl Lexer {
    fn peek(&self, ahead: usize) -> char {
        self.chars.get(self.at + ahead).copied().unwrap_or('\0')
    }

    fn span(&self, start: usize) -> Span {
        Span::new(self.file, self.line, (start - self.line_start) as u32 + 1, (self.at - start) as u32)
    }

    fn push(&mut self, kind: Tok, start: usize) {
        let span = self.span(start);
        self.tokens.push(Token { kind, span, spaced: self.spaced });
        self.spaced = false;
    }

    fn error(&mut self, code: &'static str, message: String, help: &str, start: usize) {
        let span = self.span(start);
        self.diagnostics.push(Diagnostic::error(code, message).at(span).help(help));
    }

    fn run(&mut self) {
        while self.at < self.chars.len() {
            let start = self.at;
            match self.peek(0) {
                '\n' => self.newline(),
                ' ' | '\t' | '\r' | '\u{feff}' | '\u{a0}' => {
                    self.at += 1;
                    self.spaced = true;
                }
                '%' => self.comment(),
                '#' | '/' if self.peek(0) == '#' || self.peek(1) == '/' => {
                    self.comment();
                    self.error("Q0101", "a comment of another language".into(), "comments start with '%'", start);
                }
                '0'..='9' => self.number(),
                '.' if self.peek(1).is_ascii_digit() => self.decimal(start),
                c if c.is_ascii_alphabetic() || c == '_' => self.word(),
                '"' => self.string(),
                '`' | '\u{2018}' => {
                    self.at += 1;
                    self.open.push('`');
                    self.push(Tok::Punct("`"), start);
                }
                '\'' | '\u{2019}' | '\u{b4}' => self.apostrophe(),
                '{' if self.peek(1) == '!' => self.attribute(),
                _ => self.punctuation(),
            }
        }
        let start = self.at;
        if !self.at_line_start() {
            self.push(Tok::Newline, start);
        }
        self.push(Tok::End, start);
    }

    fn at_line_start(&self) -> bool {
        matches!(self.tokens.last(), None | Some(Token { kind: Tok::Newline, .. }))
    }

    fn comment(&mut self) {
        while self.at < self.chars.len() && self.peek(0) != '\n' {
            self.at += 1;
        }
        self.spaced = true;
    }

    fn newline(&mut self) {
        let start = self.at;
        self.at += 1;
        if self.open.is_empty() && !self.at_line_start() {
            self.push(Tok::Newline, start);
        }
        self.line += 1;
        self.line_start = self.at;
        self.spaced = true;
    }

    /// A statement keyword cannot stand inside brackets: one that starts a line closes what was left open before it, so
    /// that a missing parenthesis costs one statement and not the rest of the file.
    fn resynchronise(&mut self, word: &str, start: usize) {
        const STARTS: &[&str] = &[
            "function",
            "endfunction",
            "if",
            "elseif",
            "else",
            "endif",
            "for",
            "endfor",
            "while",
            "endwhile",
            "repeat",
            "until",
            "match",
            "endmatch",
            "try",
            "catch",
            "endtry",
            "import",
            "endtype",
        ];
        if self.open.is_empty() || !STARTS.contains(&word) {
            return;
        }
        if self.chars[self.line_start..start].iter().all(|c| c.is_whitespace()) {
            self.open.clear();
            let here = self.at;
            self.at = start;
            self.push(Tok::Newline, start);
            self.at = here;
        }
    }

    fn word(&mut self) {
        let start = self.at;
        if self.chars[start..].starts_with(&['_', '_', '=']) {
            return self.punctuation();
        }
        while self.peek(0).is_ascii_alphanumeric() || self.peek(0) == '_' {
            self.at += 1;
        }
        let word: String = self.chars[start..self.at].iter().collect();
        match KEYWORDS.iter().find(|k| **k == word) {
            Some(keyword) => {
                self.resynchronise(keyword, start);
                self.push(Tok::Keyword(keyword), start);
            }
            None => self.push(Tok::Name(word.into()), start),
        }
    }

    fn punctuation(&mut self) {
        let start = self.at;
        let found = PUNCTUATION.iter().find(|p| p.chars().enumerate().all(|(i, c)| self.peek(i) == c));
        let Some(punct) = found else {
            let c = self.peek(0);
            // One message for many in a row.
            while self.at < self.chars.len() && self.peek(0) == c {
                self.at += 1;
            }
            let help = match c {
                '~' => "negation is '!', inequality '!='",
                '@' => "a lambda expression is written x -> x + 1",
                _ => "remove it",
            };
            return self.error(
                "Q0101",
                format!("the character '{}' has no meaning here", c.escape_debug()),
                help,
                start,
            );
        };
        self.at += punct.len();
        match *punct {
            "(" | "[" | "{" => self.open.push(punct.chars().next().unwrap_or('(')),
            ")" | "]" | "}" => {
                self.open.pop();
            }
            _ => {}
        }
        self.push(Tok::Punct(punct), start);
    }

    fn string(&mut self) {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            match self.peek(0) {
                '"' if self.peek(1) == '"' => {
                    text.push('"');
                    self.at += 2;
                }
                '"' => {
                    self.at += 1;
                    break;
                }
                '\n' | '\0' if self.at >= self.chars.len() || self.peek(0) == '\n' => {
                    self.error("Q0102", "the string is not closed on its line".into(), "add a '\"'", start);
                    break;
                }
                c => {
                    text.push(c);
                    self.at += 1;
                }
            }
        }
        self.push(Tok::Str(text.into()), start);
    }

    fn attribute(&mut self) {
        let start = self.at;
        self.at += 2;
        let from = self.at;
        while self.at < self.chars.len() && self.peek(0) != '}' && self.peek(0) != '\n' {
            self.at += 1;
        }
        let text: String = self.chars[from..self.at].iter().collect();
        if self.peek(0) == '}' {
            self.at += 1;
        } else {
            self.error("Q0103", "the code attribute is not closed on its line".into(), "add a '}'", start);
        }
        self.push(Tok::Attribute(text.trim().into()), start);
    }

    fn apostrophe(&mut self) {
        let start = self.at;
        let mut from = start + 1;
        while matches!(self.chars.get(from), Some(' ' | '\t')) {
            from += 1;
        }
        let mut to = from;
        while self.chars.get(to).is_some_and(|c| c.is_ascii_alphanumeric() || *c == '_') {
            to += 1;
        }
        let word: String = self.chars[from..to].iter().collect();
        let quote_open = self.open.last() == Some(&'`');
        let modifier = !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit());
        if quote_open && !(modifier && !self.spaced && LITERAL_MODIFIERS.contains(&word.as_str())) {
            self.open.pop();
            self.at += 1;
            return self.push(Tok::Punct("'"), start);
        }
        if modifier {
            self.at = to;
            return self.push(Tok::Modifier(word.into()), start);
        }
        self.at += 1;
        let help = "strings are written in double quotes, the transpose of x is transpose(x)";
        self.error("Q0101", "the apostrophe has no meaning here".into(), help, start);
    }

    fn number(&mut self) {
        let start = self.at;
        let mut end = start;
        while self.chars.get(end).is_some_and(char::is_ascii_alphanumeric) {
            end += 1;
        }
        let run: String = self.chars[start..end].iter().collect();
        let (digits, suffix) = run.split_at(run.len() - 1);
        let radix = match suffix {
            "h" | "H" => 16,
            "b" | "B" => 2,
            "o" | "O" => 8,
            _ => 0,
        };
        if radix != 0 && !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix)) {
            self.at = end;
            return self.integer(digits, radix, start);
        }
        self.decimal(start);
    }

    /// Whether a number stands where it becomes one of a type of more bits: `h : uint32 = 4000000000`, `int64(4000000000)`.
    fn is_wide(&self) -> bool {
        let before = |n: usize| self.tokens.len().checked_sub(n).and_then(|at| self.tokens.get(at)).map(|t| &t.kind);
        let wide = matches!(before(2), Some(Tok::Name(ty)) if matches!(&**ty, "uint32" | "int64" | "uint64"));
        match before(1) {
            Some(Tok::Punct("(")) => wide,
            Some(Tok::Punct("=")) => wide && matches!(before(3), Some(Tok::Punct(":"))),
            _ => false,
        }
    }

    fn integer(&mut self, digits: &str, radix: u32, start: usize) {
        match i64::from_str_radix(digits, radix) {
            Ok(v) if v <= i64::from(i32::MAX) || self.is_wide() => self.push(Tok::Int(v), start),
            _ => {
                self.error(
                    "Q0104",
                    format!("the integer constant {digits} does not fit in int"),
                    "write a decimal point to get a scalar",
                    start,
                );
                self.push(Tok::Int(0), start);
            }
        }
    }

    fn decimal(&mut self, start: usize) {
        let digits = |lexer: &mut Self| {
            while lexer.peek(0).is_ascii_digit() {
                lexer.at += 1;
            }
        };
        digits(self);
        let mut float = false;
        if self.peek(0) == '.' && !matches!(self.peek(1), '.' | '*' | '/' | '^') {
            float = true;
            self.at += 1;
            digits(self);
        }
        if matches!(self.peek(0), 'e' | 'E') {
            let sign = usize::from(matches!(self.peek(1), '+' | '-'));
            if self.peek(1 + sign).is_ascii_digit() {
                float = true;
                self.at += 1 + sign;
                digits(self);
            }
        }
        let text: String = self.chars[start..self.at].iter().collect();
        let imaginary = matches!(self.peek(0), 'i' | 'j');
        self.at += usize::from(imaginary);
        if self.peek(0).is_ascii_alphanumeric() || self.peek(0) == '_' {
            while self.peek(0).is_ascii_alphanumeric() || self.peek(0) == '_' {
                self.at += 1;
            }
            let all: String = self.chars[start..self.at].iter().collect();
            let help = "a name cannot start with a digit; suffixes are h (hexadecimal), b (binary), o (octal), i and j";
            self.error("Q0105", format!("malformed number '{all}'"), help, start);
            return self.push(Tok::Int(0), start);
        }
        let value: f64 = text.parse().unwrap_or(f64::INFINITY);
        match (imaginary, float) {
            (true, _) => self.push(Tok::Imag(value), start),
            (false, true) => self.push(Tok::Float(value), start),
            (false, false) => self.integer(&text, 10, start),
        }
    }
}

/// Whether a comma outside brackets ends a line: then it ends the statement, too, but where a command lists what it prints.
fn ends_with_comma(out: &[Token]) -> bool {
    let Some((comma, before)) = out.split_last() else { return false };
    let line = before.rsplit(|t| t.kind == Tok::Newline).next().unwrap_or(before);
    let command = |t: &Token| matches!(&t.kind, Tok::Name(n) if COMMANDS.contains(&&**n));
    let opened =
        |brackets: [&str; 3]| line.iter().filter(|t| matches!(&t.kind, Tok::Punct(p) if brackets.contains(p))).count();
    let whole = || opened(["(", "[", "{"]) == opened([")", "]", "}"]);
    comma.kind == Tok::Punct(",") && !line.is_empty() && !line.iter().any(command) && whole()
}

/// Drops the line ends that do not end a statement: after an operator or a lone underscore, and before certain operators.
fn join_lines(tokens: Vec<Token>) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        if token.kind == Tok::Newline {
            let lone = |t: &Token| matches!(&t.kind, Tok::Name(n) if &**n == "_");
            if out.last().is_some_and(lone) && !matches!(tokens.peek().map(|t| &t.kind), Some(Tok::End) | None) {
                out.pop();
                continue;
            }
            if ends_with_comma(&out) {
                out.pop();
                out.push(token);
                continue;
            }
            let after = matches!(out.last().map(|t| &t.kind), Some(Tok::Punct(p)) if CONTINUES_AFTER.contains(p));
            let before = matches!(tokens.peek().map(|t| &t.kind), Some(Tok::Punct(p)) if CONTINUES_BEFORE.contains(p));
            if (after || before) && !matches!(tokens.peek().map(|t| &t.kind), Some(Tok::End) | None) {
                continue;
            }
        } else if out.last().is_some_and(|t| matches!(&t.kind, Tok::Name(n) if &**n == "_"))
            && token.span.line > out.last().map_or(0, |t| t.span.line)
            && !matches!(&token.kind, Tok::Punct("," | "]" | ")" | "=" | "->"))
        {
            // Inside brackets the line end itself left no token; the mark at the end of the line is still there.
            out.pop();
        }
        out.push(token);
    }
    out
}
