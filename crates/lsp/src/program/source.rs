//! A file of a program: text, tokens, blocks. The tree has no places for some names; they are found among the tokens.

use crate::program::language::ast::Text as Name;
use crate::program::language::lexer;
use crate::program::language::token::{Tok, Token};
use crate::program::text::Text;
use quadra_base::{FileId, Span};
use std::path::PathBuf;

/// A block and the words around it, by their tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockTokens {
    pub word: &'static str,
    pub first: usize,
    /// The closing word, or the last token of the file.
    pub last: usize,
}

pub struct Source {
    pub id: FileId,
    /// None for the library that comes with the language.
    pub path: Option<PathBuf>,
    pub text: Text,
    pub tokens: Vec<Token>,
    /// In the order of their first words.
    pub blocks: Vec<BlockTokens>,
}

impl Source {
    pub fn new(id: FileId, text: &str) -> Source {
        let tokens = lexer::lex(id, text).0;
        let name = id.name();
        let path = (!name.starts_with('<')).then(|| PathBuf::from(&*name));
        let blocks = blocks(&tokens);
        Source { id, path, text: Text::new(text), tokens, blocks }
    }

    /// The first token at or behind a place.
    pub fn at(&self, span: Span) -> usize {
        self.tokens.partition_point(|t| (t.span.line, t.span.column) < (span.line, span.column))
    }

    /// The token that holds a byte or ends there; a name before anything else.
    pub fn touching(&self, byte: usize) -> Option<usize> {
        let (line, column) = self.text.place(byte);
        let behind = self.tokens.partition_point(|t| (t.span.line, t.span.column) <= (line, column));
        let reaches = |i: usize| {
            let span = self.tokens[i].span;
            let visible = !matches!(self.tokens[i].kind, Tok::Newline | Tok::End);
            (visible && span.line == line && span.column <= column && column <= span.column + span.len).then_some(i)
        };
        let here = behind.checked_sub(1).and_then(reaches);
        let before = behind.checked_sub(2).and_then(reaches);
        let name = |i: &usize| matches!(self.tokens[*i].kind, Tok::Name(_));
        here.filter(name).or(before.filter(name)).or(here).or(before)
    }

    /// The first token from `from` on that is this name.
    pub fn name_from(&self, from: usize, name: &str) -> Option<usize> {
        let found = |t: &Token| match &t.kind {
            Tok::Name(n) => **n == *name,
            Tok::Keyword(word) => *word == name,
            _ => false,
        };
        (from..self.tokens.len().min(from + 40)).find(|i| found(&self.tokens[*i]))
    }

    /// The names in a list of the head of a function, `[a : T, b]` or `a : T`, from the token `from` on, and the token behind it.
    pub fn listed(&self, from: usize, count: usize) -> (Vec<usize>, usize) {
        let (mut names, mut depth, mut expected, mut i) = (Vec::new(), 0i32, true, from);
        while i < self.tokens.len() && names.len() <= count {
            match &self.tokens[i].kind {
                Tok::Name(_) if expected => {
                    names.push(i);
                    expected = false;
                }
                Tok::Punct("[" | "(" | "{") => depth += 1,
                Tok::Punct("]" | ")" | "}") => {
                    depth -= 1;
                    if depth == 0 && self.tokens[from].kind == Tok::Punct("[") {
                        return (names, i + 1);
                    }
                }
                Tok::Punct(",") if depth <= 1 => expected = true,
                Tok::Punct("=") if depth <= 0 => return (names, i),
                Tok::Newline | Tok::End => return (names, i),
                _ => {}
            }
            i += 1;
        }
        (names, i)
    }

    /// The block whose first word is this token.
    pub fn block_from(&self, first: usize) -> Option<BlockTokens> {
        let i = self.blocks.partition_point(|b| b.first < first);
        self.blocks.get(i).copied().filter(|b| b.first == first)
    }

    /// The name behind `catch` of the `try` at this token.
    pub fn caught(&self, first: usize) -> Option<usize> {
        let block = self.block_from(first)?;
        let mut i = first + 1;
        while i < block.last {
            if let Some(inner) = self.block_from(i) {
                i = inner.last + 1;
                continue;
            }
            if self.tokens[i].kind == Tok::Keyword("catch") {
                return Some(i + 1);
            }
            i += 1;
        }
        None
    }

    /// The comment that stands right above a line of the language, without its marks.
    pub fn comment_above(&self, line: u32) -> String {
        let mut lines = Vec::new();
        for row in (1..line).rev() {
            let row = self.text.row(self.text.byte(row, 1));
            let Some(comment) = self.text.text[row].trim().strip_prefix('%') else { break };
            lines.push(comment.trim().to_string());
        }
        lines.reverse();
        lines.join("\n")
    }

    /// The comment of each row that has one, as bytes.
    pub fn comments(&self) -> Vec<std::ops::Range<usize>> {
        let text = &self.text.text;
        let mut token = 0;
        let mut found = Vec::new();
        let mut start = 0;
        for (row, line) in text.split_inclusive('\n').enumerate() {
            let row = row as u32 + 1;
            let mut from = start;
            while let Some(t) = self.tokens.get(token).filter(|t| t.span.line <= row) {
                if !matches!(t.kind, Tok::Newline | Tok::End) && t.span.line == row {
                    from = self.text.bytes(t.span).end;
                }
                token += 1;
            }
            let end = start + line.trim_end_matches(['\n', '\r']).len();
            if let Some(mark) = text.get(from..end).and_then(|rest| rest.find('%')) {
                found.push(from + mark..end);
            }
            start += line.len();
        }
        found
    }

    pub fn slice(&self, first: usize, last: usize) -> &str {
        let (from, to) = (self.text.bytes(self.tokens[first].span).start, self.text.bytes(self.tokens[last].span).end);
        self.text.text.get(from..to).unwrap_or("")
    }

    /// The name of a token, if it is one.
    pub fn name(&self, token: usize) -> Option<&Name> {
        match &self.tokens.get(token)?.kind {
            Tok::Name(name) => Some(name),
            _ => None,
        }
    }
}

/// The word that a word closes; `end` closes what stands in old style.
fn closes(word: &str, open: &str) -> bool {
    match word {
        "until" => open == "repeat",
        "endtype" => open == "class",
        "end" => !matches!(open, "if" | "repeat"),
        _ => word.strip_prefix("end") == Some(open),
    }
}

fn blocks(tokens: &[Token]) -> Vec<BlockTokens> {
    let mut open: Vec<(&'static str, usize)> = Vec::new();
    let mut found = Vec::new();
    // Open brackets: in them `end` is the last position.
    let mut depth = 0usize;
    for (i, token) in tokens.iter().enumerate() {
        let word = match token.kind {
            Tok::Keyword(word) => word,
            Tok::Punct("(" | "[" | "{") => {
                depth += 1;
                continue;
            }
            Tok::Punct(")" | "]" | "}") => {
                depth = depth.saturating_sub(1);
                continue;
            }
            _ => continue,
        };
        if word == "end" && depth > 0 {
            continue;
        }
        let starts = i == 0
            || matches!(
                tokens[i - 1].kind,
                Tok::Newline | Tok::Punct(";" | "->") | Tok::Keyword("try" | "else" | "repeat")
            );
        match word {
            "function" | "if" | "for" | "while" | "repeat" | "match" | "try" if starts => open.push((word, i)),
            "class" => open.push((word, i)),
            _ if word.starts_with("end") || word == "until" => {
                let Some(at) = open.iter().rposition(|(o, _)| closes(word, o)) else { continue };
                found.extend(open.drain(at..).map(|(word, first)| BlockTokens { word, first, last: i }));
            }
            _ => {}
        }
    }
    let last = tokens.len() - 1;
    found.extend(open.into_iter().map(|(word, first)| BlockTokens { word, first, last }));
    found.sort_by_key(|b| b.first);
    found
}
