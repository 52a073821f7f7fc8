//! Text to lines of tokens.

use super::synonyms;
use quadra_base::{Diagnostic, FileId, Span};
use std::rc::Rc;

/// A token's meaning.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Tok {
    Ident(Rc<str>),
    /// `.name`: a directive at the start of a line, an extension behind an operation or operand.
    Suffix(Rc<str>),
    Int(i64),
    Float(f64),
    /// `:name`, or `name:` at the start of a line
    Label(Rc<str>),
    /// `r:name`
    Relative(Rc<str>),
    /// `::name`
    Global(Rc<str>),
    /// `:` alone
    Anonymous,
    Str(Rc<str>),
    Punct(&'static str),
}

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub tok: Tok,
    pub span: Span,
}

/// The tokens of one line that has any.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub tokens: Rc<[Token]>,
    pub span: Span,
}

/// Operators and separators, longest first.
const PUNCT: &[&str] = &[
    "><<<", ">>><", "<<<", ">>>", ">><", "><<", "<=>", "===", "!==", "!^^", "**", "<<", ">>", ">=", "<=", "==", "!=",
    "!^", "&&", "||", "^^", "+", "-", "*", "/", "%", "~", "!", "<", ">", "&", "|", "^", "(", ")", "[", "]", ",", ";",
    "=",
];

/// The lines of a file, and what is wrong with some of them; a wrong line is left out.
pub(super) fn lines(file: FileId, text: &str) -> (Vec<Line>, Vec<Diagnostic>) {
    let (mut lines, mut diagnostics) = (Vec::new(), Vec::new());
    for (index, text) in text.lines().enumerate() {
        let chars: Vec<char> = text.chars().collect();
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let mut lexer = Lexer { file, line: number, chars: &chars, at: 0, tokens: Vec::new() };
        match lexer.run() {
            Ok(()) if lexer.tokens.is_empty() => {}
            Ok(()) => {
                lexer.name_directive();
                let tokens: Rc<[Token]> = lexer.tokens.into();
                let span = tokens[0].span.to(tokens[tokens.len() - 1].span);
                lines.push(Line { tokens, span });
            }
            Err(diagnostic) => diagnostics.push(*diagnostic),
        }
    }
    (lines, diagnostics)
}

struct Lexer<'a> {
    file: FileId,
    line: u32,
    chars: &'a [char],
    at: usize,
    tokens: Vec<Token>,
}

/// How many labels a line begins with.
pub(super) fn labels(tokens: &[Token]) -> usize {
    tokens.iter().take_while(|t| matches!(t.tok, Tok::Label(_) | Tok::Global(_) | Tok::Anonymous)).count()
}

fn in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

impl Lexer<'_> {
    fn run(&mut self) -> Result<(), Box<Diagnostic>> {
        while let Some(c) = self.peek(0) {
            let start = self.at;
            let tok = match c {
                _ if c.is_whitespace() => {
                    self.at += 1;
                    continue;
                }
                '#' => break,
                '/' if self.peek(1) == Some('/') => break,
                '"' => self.string()?,
                ':' => self.label()?,
                '.' if self.peek(1).is_some_and(in_name) => {
                    self.at += 1;
                    Tok::Suffix(self.take(in_name).into())
                }
                '0'..='9' => self.number()?,
                'r' if self.peek(1) == Some(':') && self.peek(2).is_some_and(|c| in_name(c) || c == '.') => {
                    self.at += 2;
                    Tok::Relative(self.take(|c| in_name(c) || c == '.').into())
                }
                _ if c.is_ascii_alphabetic() || c == '_' => self.name(),
                _ => self.punct()?,
            };
            let span = self.span(start, self.at);
            self.tokens.push(Token { tok, span });
        }
        Ok(())
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn take(&mut self, test: impl Fn(char) -> bool) -> String {
        let start = self.at;
        while self.peek(0).is_some_and(&test) {
            self.at += 1;
        }
        self.chars[start..self.at].iter().collect()
    }

    fn span(&self, start: usize, end: usize) -> Span {
        let column = |at: usize| u32::try_from(at).unwrap_or(u32::MAX - 1);
        Span::new(self.file, self.line, column(start) + 1, column(end - start))
    }

    fn fail<T>(&self, start: usize, message: String, help: &str) -> Result<T, Box<Diagnostic>> {
        let span = self.span(start, self.at.max(start + 1));
        let diagnostic = Diagnostic::error("E0741", message).at(span);
        Err(Box::new(if help.is_empty() { diagnostic } else { diagnostic.help(help) }))
    }

    fn punct(&mut self) -> Result<Tok, Box<Diagnostic>> {
        let rest = &self.chars[self.at..];
        let fits = |p: &&&str| p.len() <= rest.len() && p.chars().zip(rest).all(|(a, b)| a == *b);
        match PUNCT.iter().find(fits) {
            Some(punct) => {
                self.at += punct.len();
                Ok(Tok::Punct(punct))
            }
            None => {
                let c = self.chars[self.at];
                self.fail(self.at, format!("unexpected character `{}`", c.escape_debug()), "")
            }
        }
    }

    fn string(&mut self) -> Result<Tok, Box<Diagnostic>> {
        let start = self.at;
        self.at += 1;
        let text = self.take(|c| c != '"');
        if self.peek(0).is_none() {
            return self.fail(start, "this string does not end".to_string(), "close it with `\"` on the same line");
        }
        self.at += 1;
        Ok(Tok::Str(text.into()))
    }

    /// Gives the line's directive, if it has one, its usual name.
    fn name_directive(&mut self) {
        let first = labels(&self.tokens);
        if let Some(Token { tok: Tok::Suffix(name), .. }) = self.tokens.get_mut(first) {
            let usual = synonyms::directive(name);
            if usual != &**name {
                *name = usual.into();
            }
        }
    }

    /// A name; a label if a colon follows it at once and only labels stand before it.
    fn name(&mut self) -> Tok {
        let name = self.take(in_name).into();
        if labels(&self.tokens) == self.tokens.len() && self.peek(0) == Some(':') {
            self.at += 1;
            return Tok::Label(name);
        }
        Tok::Ident(name)
    }

    fn label(&mut self) -> Result<Tok, Box<Diagnostic>> {
        let start = self.at;
        self.at += 1;
        let global = self.peek(0) == Some(':');
        self.at += usize::from(global);
        let name = self.take(|c| in_name(c) || c == '.');
        match (global, name.is_empty()) {
            (true, true) => self.fail(start, "a global label needs a name".to_string(), "write `::name`"),
            (true, false) => Ok(Tok::Global(name.into())),
            (false, true) => Ok(Tok::Anonymous),
            (false, false) => Ok(Tok::Label(name.into())),
        }
    }

    fn number(&mut self) -> Result<Tok, Box<Diagnostic>> {
        let start = self.at;
        let radix = match (self.peek(0), self.peek(1)) {
            (Some('0'), Some('x' | 'X')) => 16,
            (Some('0'), Some('b' | 'B')) => 2,
            _ => 10,
        };
        if radix != 10 {
            self.at += 2;
            let digits = self.take(in_name);
            return self.integer(start, &digits, radix);
        }
        let mut text = self.take(|c| c.is_ascii_digit());
        let fraction = self.peek(0) == Some('.');
        if fraction {
            self.at += 1;
            text.push('.');
            text.push_str(&self.take(|c| c.is_ascii_digit()));
        }
        let exponent = matches!(self.peek(0), Some('e' | 'E'))
            && match self.peek(1) {
                Some('+' | '-') => self.peek(2).is_some_and(|c| c.is_ascii_digit()),
                next => next.is_some_and(|c| c.is_ascii_digit()),
            };
        if exponent {
            text.push('e');
            self.at += 1;
            if let Some(sign @ ('+' | '-')) = self.peek(0) {
                text.push(sign);
                self.at += 1;
            }
            text.push_str(&self.take(|c| c.is_ascii_digit()));
        }
        let tail = self.take(in_name);
        if !tail.is_empty() {
            return self.fail(start, format!("`{text}{tail}` is not a number"), "");
        }
        if fraction || exponent {
            return match text.parse() {
                Ok(value) => Ok(Tok::Float(value)),
                Err(_) => self.fail(start, format!("`{text}` is not a number"), ""),
            };
        }
        let octal = text.len() > 1 && text.starts_with('0');
        self.integer(start, &text, if octal { 8 } else { 10 })
    }

    fn integer(&self, start: usize, digits: &str, radix: u32) -> Result<Tok, Box<Diagnostic>> {
        match u64::from_str_radix(digits, radix) {
            Ok(value) => Ok(Tok::Int(value as i64)),
            Err(_) => {
                let help =
                    if radix == 8 { "a leading zero makes a number octal" } else { "integers have at most 64 bits" };
                self.fail(start, format!("`{digits}` is not an integer of base {radix}"), help)
            }
        }
    }
}
