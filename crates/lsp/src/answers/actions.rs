//! Code actions: the help of a diagnostic where it says what to write.

use crate::program::language::token::{Tok, Token};
use crate::program::model::Model;
use crate::program::source::Source;
use crate::program::symbols::Kind;
use quadra_base::{Diagnostic, FileId};
use std::ops::Range;

/// An edit of some files that does what a diagnostic's help says.
pub struct Fix {
    pub title: String,
    pub edits: Vec<Edit>,
}

pub struct Edit {
    pub file: FileId,
    pub bytes: Range<usize>,
    pub new: String,
}

/// What can be done about a diagnostic, by the help that it has.
pub fn fixes(model: &Model, d: &Diagnostic) -> Vec<Fix> {
    let Some(source) = d.span.and_then(|s| model.sources.get(&s.file)).filter(|s| s.path.is_some()) else {
        return Vec::new();
    };
    let Some(span) = d.span else { return Vec::new() };
    let case = Case { model, d, source, own: source.text.bytes(span), token: source.at(span) };
    let mut fixes: Vec<Fix> = Vec::new();
    for help in &d.help {
        for edits in case.edits(help).into_iter().filter(|e| !e.is_empty()) {
            fixes.push(Fix { title: case.title(&edits), edits });
        }
    }
    fixes
}

type Edits = Vec<Edit>;

struct Case<'a> {
    model: &'a Model,
    d: &'a Diagnostic,
    source: &'a Source,
    /// The bytes of the diagnostic's place, and its first token.
    own: Range<usize>,
    token: usize,
}

impl Case<'_> {
    fn title(&self, edits: &[Edit]) -> String {
        let first = &edits[0];
        let old = self.model.sources.get(&first.file).and_then(|s| s.text.text.get(first.bytes.clone())).unwrap_or("");
        match (old.trim(), first.new.trim()) {
            ("", "") => "break the line".into(),
            ("", new) => format!("insert '{new}'"),
            (old, "") => format!("remove '{old}'"),
            (old, new) => format!("change '{old}' to '{new}'"),
        }
    }

    fn edit(&self, bytes: Range<usize>, new: &str) -> Edits {
        vec![Edit { file: self.source.id, bytes, new: new.to_string() }]
    }

    fn slice(&self, bytes: Range<usize>) -> &str {
        self.source.text.text.get(bytes).unwrap_or("")
    }

    fn tokens(&self) -> &[Token] {
        &self.source.tokens
    }

    fn bytes(&self, token: usize) -> Range<usize> {
        self.tokens().get(token).map_or(0..0, |t| self.source.text.bytes(t.span))
    }

    fn is(&self, token: usize, punct: &str) -> bool {
        matches!(self.tokens().get(token).map(|t| &t.kind), Some(Tok::Punct(p)) if *p == punct)
    }

    /// The row of a byte, its line end included, and the blanks that it begins with.
    fn row(&self, byte: usize) -> (Range<usize>, String) {
        let row = self.source.text.row(byte);
        let line = self.slice(row.clone());
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        (row.clone(), line[..indent].to_string())
    }

    /// A row of its own before the row of a byte.
    fn row_before(&self, byte: usize, text: &str) -> Edits {
        let (row, indent) = self.row(byte);
        self.edit(row.start..row.start, &format!("{indent}{text}\n"))
    }

    /// All ways to follow a help.
    fn edits(&self, help: &str) -> Vec<Edits> {
        match self.d.code {
            "Q0302" => self.undefined(help),
            "Q0110" | "Q0122" | "Q0101" => vec![self.habit(help)],
            _ => vec![self.one(help)],
        }
    }

    fn one(&self, help: &str) -> Edits {
        let own = self.own.clone();
        match self.d.code {
            "Q0102" => self.edit(own.end..own.end, "\""),
            "Q0103" => self.edit(own.end..own.end, "}"),
            "Q0116" => self.edit(own, ""),
            "Q0119" if help == "remove the word" => self.edit(own, ""),
            "Q0119" if help == "break the line here" => {
                let before = self.slice(0..own.start);
                self.edit(before.trim_end_matches([' ', '\t']).len()..own.start, "\n")
            }
            "Q0120" => self.close(help),
            "Q0121" if self.slice(own.clone()) == "end" => {
                quoted(help).nth(1).map_or(Vec::new(), |w| self.edit(own, w))
            }
            "Q0123" => self.d.labels.first().map_or(Vec::new(), |l| self.edit(self.source.text.bytes(l.0), "==")),
            "Q0125" => self.compare(help),
            "Q0126" => self.declaration(),
            "Q0202" => self.pointer(help),
            "Q0321" => self.edit(0..0, "import \"inttypes.q\"\n"),
            "Q0357" => self.mutable(help),
            "Q0401" => {
                let equals = (self.token..self.tokens().len()).find(|t| self.is(*t, "="));
                let before = equals.map(|t| self.bytes(t - 1).end).filter(|at| *at < own.end);
                before.map_or(Vec::new(), |at| self.edit(at..own.end, ""))
            }
            "Q0402" => self.device(help),
            "Q0432" => self.row_before(own.start, "syncthreads"),
            "Q0501" if help.starts_with("remove {!parallel for}") => self.attribute(),
            "Q0504" if help.starts_with("{!serial for}") => self.row_before(own.start, "{!serial for}"),
            _ => Vec::new(),
        }
    }

    /// What MATLAB, Python or C would have written.
    fn habit(&self, help: &str) -> Edits {
        let own = self.own.clone();
        let text = self.slice(own.clone());
        let (before, token) = (self.token.checked_sub(1).map_or(0..0, |t| self.bytes(t)), self.token);
        if self.d.code == "Q0122" {
            let colon = (token..self.tokens().len()).find(|t| self.bytes(*t).start >= own.end);
            return match colon.filter(|t| help.starts_with("a range is written") && self.is(*t, ":")) {
                Some(colon) => self.edit(self.bytes(colon), ".."),
                None => Vec::new(),
            };
        }
        let begins = |what: &str| help.starts_with(what);
        match text {
            _ if begins("comments start with '%'") => {
                let mark = if text.starts_with("//") { 2 } else { 1 };
                self.edit(own.start..own.start + mark, "%")
            }
            "~" if begins("negation is '!'") => self.edit(own, "!"),
            "&" if begins("use '&&'") => self.edit(own, "&&"),
            ":=" => self.edit(own, "="),
            ":" if begins("a range is written") => self.edit(own, ".."),
            "and" => self.edit(own, "&&"),
            "or" => self.edit(own, "||"),
            "in" if begins("write for i =") => self.edit(own, "="),
            "..." => self.edit(own, ""),
            "(" if begins("results come first") => self.edit(before.start..before.start, "[] = "),
            "{" if begins("elements of a cell") => self.brackets(),
            _ if begins("negation is '!'") => self.edit(before.start..own.start, "!"),
            _ if begins("write elseif") => self.edit(before, "elseif"),
            _ if begins("a variable is made by assigning") => self.edit(before.start..own.start, ""),
            _ if begins("remove it: there is no such command") => self.edit(self.row(own.start).0, ""),
            _ if begins("elements are separated by commas") => self.edit(before.end..before.end, ","),
            _ if begins("to count, write x += 1") && token >= 2 => {
                match self.slice(self.bytes(token - 2).start..before.end) {
                    "++" => self.edit(self.bytes(token - 2).start..before.end, " += 1"),
                    "--" => self.edit(self.bytes(token - 2).start..before.end, " -= 1"),
                    _ => Vec::new(),
                }
            }
            _ => Vec::new(),
        }
    }

    fn brackets(&self) -> Edits {
        let mut depth = 0;
        for t in self.token..self.tokens().len() {
            match self.tokens()[t].kind {
                Tok::Punct("{") => depth += 1,
                Tok::Punct("}") => depth -= 1,
                Tok::Newline => break,
                _ => {}
            }
            if depth == 0 {
                let mut edits = self.edit(self.own.clone(), "[");
                edits.extend(self.edit(self.bytes(t), "]"));
                return edits;
            }
        }
        Vec::new()
    }

    /// The word that closes a block, where the next statement closes another one, or at the end.
    fn close(&self, help: &str) -> Edits {
        let Some(word) = quoted(help).next() else { return Vec::new() };
        if self.slice(self.own.clone()) == "end" {
            return self.edit(self.own.clone(), word);
        }
        let opened = self.d.labels.first().map_or(0, |l| self.source.text.bytes(l.0).start);
        let indent = self.row(opened).1;
        let text = &self.source.text.text;
        let end = matches!(self.tokens().get(self.token).map(|t| &t.kind), None | Some(Tok::End));
        let at = if end { text.len() } else { self.row(self.own.start).0.start };
        let new_line = if at > 0 && !text[..at].ends_with('\n') { "\n" } else { "" };
        self.edit(at..at, &format!("{new_line}{indent}{word}\n"))
    }

    fn compare(&self, help: &str) -> Edits {
        let (wanted, new) = match help {
            _ if help.starts_with("'==' compares") => ("=", "=="),
            _ if help.starts_with("'!=' compares") => ("~=", "!="),
            _ => return Vec::new(),
        };
        let found = (self.token..self.tokens().len()).find(|t| self.is(*t, wanted)).map(|t| self.bytes(t));
        found.filter(|at| at.start < self.own.end).map_or(Vec::new(), |at| self.edit(at, new))
    }

    /// `int n` becomes `n : int`.
    fn declaration(&self) -> Edits {
        let (ty, name) = (self.bytes(self.token), self.bytes(self.token + 1));
        let new = format!("{} : {}", self.slice(name.clone()), self.slice(ty.clone()));
        self.edit(ty.start..name.end, &new)
    }

    /// The field of a class that would hold the class itself.
    fn pointer(&self, help: &str) -> Edits {
        let Some(name) = help.rsplit('^').next() else { return Vec::new() };
        let range = self.token + 2..self.tokens().len();
        let field =
            range.into_iter().find(|t| self.source.name(*t).is_some_and(|n| **n == *name) && self.is(t - 1, ":"));
        field.map_or(Vec::new(), |t| self.edit(self.bytes(t).start..self.bytes(t).start, "^"))
    }

    /// Where a name of the program is defined: file and token.
    fn defined(&self, name: &str, kind: Kind) -> Option<(&Source, usize)> {
        let symbols = &self.model.symbols;
        let id = symbols.symbols.iter().position(|s| *s.name == *name && s.kind == kind)?;
        let span = symbols.definitions(id).first()?.span;
        let source = self.model.sources.get(&span.file).filter(|s| s.path.is_some())?;
        Some((source, source.at(span)))
    }

    fn insert(&self, place: Option<(&Source, usize)>, new: &str) -> Edits {
        place.map_or(Vec::new(), |(source, token)| {
            let at = source.text.bytes(source.tokens[token].span).start;
            vec![Edit { file: source.id, bytes: at..at, new: new.to_string() }]
        })
    }

    fn mutable(&self, help: &str) -> Edits {
        let name = help.split_whitespace().skip_while(|w| *w != "'type").nth(1);
        let place = name.and_then(|name| self.defined(name, Kind::Type));
        let class = place.and_then(|(source, token)| {
            let class =
                (token..token + 5).find(|t| source.tokens.get(*t).is_some_and(|t| t.kind == Tok::Keyword("class")))?;
            Some((source, class))
        });
        self.insert(class, "mutable ")
    }

    fn device(&self, help: &str) -> Edits {
        let name = help.rsplit("__device__ ").next().and_then(|rest| rest.split('(').next());
        self.insert(name.and_then(|name| self.defined(name, Kind::Function)), "__device__ ")
    }

    /// The code attribute right before a loop, with its row if it has one.
    fn attribute(&self) -> Edits {
        let attribute = (0..self.token).rev().take(3).find(|t| matches!(self.tokens()[*t].kind, Tok::Attribute(_)));
        attribute.map_or(Vec::new(), |t| {
            let bytes = self.bytes(t);
            let row = self.row(bytes.start).0;
            let alone = self.slice(row.clone()).trim() == self.slice(bytes.clone());
            self.edit(if alone { row } else { bytes }, "")
        })
    }

    /// A name that nothing defines: the one that was meant, or what another language's function is called here.
    fn undefined(&self, help: &str) -> Vec<Edits> {
        let name = self.d.message.split('\'').nth(1).unwrap_or("");
        let Some(token) = self.source.name_from(self.token, name) else { return Vec::new() };
        let change = |new: &str| self.edit(self.bytes(token), new);
        if help.starts_with("did you mean") {
            return quoted(help).map(change).collect();
        }
        if help.starts_with("the constants are") {
            let new = name.to_ascii_lowercase();
            return vec![change(if matches!(&*new, "true" | "false") { &new } else { "nullptr" })];
        }
        let Some(written) = help.strip_prefix("write ") else { return Vec::new() };
        if written == "print x" {
            return vec![change("print")];
        }
        if self.is(token + 1, "(") { calls(written).map(change).collect() } else { Vec::new() }
    }
}

/// What stands in quotes.
fn quoted(help: &str) -> impl Iterator<Item = &str> {
    help.split('\'').skip(1).step_by(2)
}

/// Functions that a help applies to plain arguments: `fft1` and `fft2` in `fft1(x), fft2(x)`, but not `sum` in `sum(x != 0)`.
fn calls(help: &str) -> impl Iterator<Item = &str> {
    help.match_indices('(').filter_map(|(open, _)| {
        let begin = help[..open].rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        let inside = &help[open + 1..open + 1 + help[open + 1..].find(')')?];
        let plain = inside
            .split(',')
            .all(|p| p.starts_with(|c: char| c.is_ascii_alphabetic()) && p.chars().all(|c| c.is_ascii_alphanumeric()));
        let nested = help[..begin].ends_with('(') || help[open + inside.len() + 2..].starts_with([' ', '*', '/', ')']);
        (begin < open && plain && !nested).then_some(&help[begin..open])
    })
}
