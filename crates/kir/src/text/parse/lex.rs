//! Tokens of the text form.

use quadra_base::{Diagnostic, FileId, Span};

/// What a token is. Names lose their sigil.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// `%a`: a value or buffer.
    Value(String),
    /// `$x`: a variable.
    Var(String),
    /// `@f`: a kernel.
    Global(String),
    /// A mnemonic, keyword or type, with inner points: `cmp.lt.u`.
    Word(String),
    Int(i128),
    Float(String),
    Text(String),
    /// `{ } ( ) [ ] < > : , = ..`
    Punct(&'static str),
    End,
}

impl Token {
    /// The token as a message shows it.
    pub fn show(&self) -> String {
        match self {
            Token::Value(s) => format!("`%{s}`"),
            Token::Var(s) => format!("`${s}`"),
            Token::Global(s) => format!("`@{s}`"),
            Token::Word(s) | Token::Float(s) => format!("`{s}`"),
            Token::Int(n) => format!("`{n}`"),
            Token::Text(_) => "a text".into(),
            Token::Punct(s) => format!("`{s}`"),
            Token::End => "the end of the text".into(),
        }
    }
}

const PUNCT: [&str; 13] = ["..", "{", "}", "(", ")", "[", "]", "<", ">", ":", ",", "=", ";"];

struct Lexer {
    chars: Vec<char>,
    at: usize,
    line: u32,
    column: u32,
}

impl Lexer {
    fn peek(&self, ahead: usize) -> char {
        self.chars.get(self.at + ahead).copied().unwrap_or('\0')
    }

    fn take(&mut self) -> char {
        let c = self.peek(0);
        self.at += 1;
        (self.line, self.column) = if c == '\n' { (self.line + 1, 1) } else { (self.line, self.column + 1) };
        c
    }

    /// Skips blanks and comments, which run from `;` to the end of the line.
    fn skip(&mut self) {
        while self.at < self.chars.len() {
            if self.peek(0) == ';' {
                while self.at < self.chars.len() && self.peek(0) != '\n' {
                    self.take();
                }
            } else if self.peek(0).is_whitespace() {
                self.take();
            } else {
                return;
            }
        }
    }

    /// Letters, digits, `_`, and points followed by one of these.
    fn name(&mut self) -> String {
        let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut s = String::new();
        while part(self.peek(0)) || (self.peek(0) == '.' && part(self.peek(1))) {
            s.push(self.take());
        }
        s
    }

    fn number(&mut self) -> Result<Token, String> {
        let mut s = String::new();
        if self.peek(0) == '-' {
            s.push(self.take());
        }
        if self.peek(0) == '0' && self.peek(1) == 'x' && self.peek(2).is_ascii_hexdigit() {
            self.take();
            self.take();
            let mut digits = String::new();
            while self.peek(0).is_ascii_hexdigit() {
                digits.push(self.take());
            }
            let n = i128::from_str_radix(&digits, 16).map_err(|_| "this number is too long".to_string())?;
            return Ok(Token::Int(if s.is_empty() { n } else { -n }));
        }
        let mut float = false;
        loop {
            let (c, next) = (self.peek(0), self.peek(1));
            let exponent = (c == 'e' || c == 'E')
                && (next.is_ascii_digit() || ((next == '-' || next == '+') && self.peek(2).is_ascii_digit()));
            if c.is_ascii_digit() {
                s.push(self.take());
            } else if c == '.' && next.is_ascii_digit() {
                float = true;
                s.push(self.take());
            } else if exponent {
                float = true;
                s.push(self.take());
                s.push(self.take());
            } else {
                break;
            }
        }
        if float {
            Ok(Token::Float(s))
        } else {
            s.parse().map(Token::Int).map_err(|_| "this number is too long".into())
        }
    }

    fn text(&mut self) -> Result<Token, String> {
        self.take();
        let mut s = String::new();
        loop {
            if self.at >= self.chars.len() || self.peek(0) == '\n' {
                return Err("this text has no closing `\"`".into());
            }
            match self.take() {
                '"' => return Ok(Token::Text(s)),
                '\\' => s.push(self.escape()?),
                c => s.push(c),
            }
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        match self.take() {
            'n' => Ok('\n'),
            't' => Ok('\t'),
            '"' => Ok('"'),
            '\\' => Ok('\\'),
            'u' if self.peek(0) == '{' => {
                self.take();
                let mut digits = String::new();
                while self.peek(0).is_ascii_hexdigit() && digits.len() < 8 {
                    digits.push(self.take());
                }
                let closed = self.take() == '}';
                let c = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                c.filter(|_| closed).ok_or_else(|| "`\\u{…}` wants the number of a character".into())
            }
            _ => Err("the escapes are \\n \\t \\\" \\\\ and \\u{…}".into()),
        }
    }

    fn token(&mut self) -> Result<Token, String> {
        let (c, next) = (self.peek(0), self.peek(1));
        if c.is_ascii_digit() || (c == '-' && next.is_ascii_digit()) {
            return self.number();
        }
        if c == '"' {
            return self.text();
        }
        if matches!(c, '%' | '$' | '@') {
            self.take();
            let name = self.name();
            if name.is_empty() {
                return Err(format!("a name must follow `{c}`"));
            }
            return Ok(match c {
                '%' => Token::Value(name),
                '$' => Token::Var(name),
                _ => Token::Global(name),
            });
        }
        if c.is_ascii_alphabetic() || c == '_' {
            return Ok(Token::Word(self.name()));
        }
        for p in PUNCT {
            if p.chars().enumerate().all(|(i, c)| self.peek(i) == c) {
                p.chars().for_each(|_| {
                    self.take();
                });
                return Ok(Token::Punct(p));
            }
        }
        self.take();
        Err(format!("`{}` has no meaning here", c.escape_default()))
    }
}

/// The tokens of `text` with their places, the last one being [`Token::End`].
///
/// # Errors
/// The first character that begins no token.
pub fn tokens(file: FileId, text: &str) -> Result<Vec<(Token, Span)>, Box<Diagnostic>> {
    let mut lexer = Lexer { chars: text.chars().collect(), at: 0, line: 1, column: 1 };
    let mut out = Vec::new();
    loop {
        lexer.skip();
        let (line, column, at) = (lexer.line, lexer.column, lexer.at);
        if at >= lexer.chars.len() {
            out.push((Token::End, Span::new(file, line, column, 1)));
            return Ok(out);
        }
        let token = lexer.token();
        let span = Span::new(file, line, column, (lexer.at - at) as u32);
        out.push((token.map_err(|e| Box::new(Diagnostic::error("E0301", e).at(span)))?, span));
    }
}
