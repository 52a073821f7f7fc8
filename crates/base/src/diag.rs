//! Diagnostics: what a user reads when something is wrong, with place, cause and help.

use crate::source::Span;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde::{Serialize, ser::SerializeStruct};

/// How grave a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Note,
    Warning,
    Error,
}

/// One row of a crate's table of error codes: what `quadra explain CODE` prints.
#[derive(Clone, Copy, Debug)]
pub struct CodeEntry {
    /// For example `E0311`.
    pub code: &'static str,
    /// One line, lower case.
    pub title: &'static str,
    /// Cause, an example that raises it, and what to do.
    pub explanation: &'static str,
}

/// A message for the user. Messages are lower case, have no full stop, name the thing and offer help where there is any.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// Code in the table of the crate that raised it, or empty.
    pub code: &'static str,
    pub severity: Severity,
    pub span: Option<Span>,
    pub message: String,
    /// What to write under the main place; empty for none.
    pub label: String,
    /// Other places that belong to the message.
    pub labels: Vec<(Span, String)>,
    pub notes: Vec<String>,
    pub help: Vec<String>,
}

impl Diagnostic {
    /// An error with this code of the raising crate's table.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::with_severity(Severity::Error, code, message)
    }

    /// A warning with this code of the raising crate's table.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::with_severity(Severity::Warning, code, message)
    }

    fn with_severity(severity: Severity, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            severity,
            span: None,
            message: short(message.into()),
            label: String::new(),
            labels: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
        }
    }

    /// Puts the diagnostic at a place.
    pub fn at(mut self, span: impl Into<Option<Span>>) -> Self {
        self.span = span.into();
        self
    }

    /// The text under the main place.
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.label = text.into();
        self
    }

    /// A further place and what it has to do with the message.
    pub fn also(mut self, span: impl Into<Option<Span>>, text: impl Into<String>) -> Self {
        match span.into() {
            Some(span) => self.labels.push((span, text.into())),
            None => self.notes.push(text.into()),
        }
        self
    }

    /// A fact that explains the message.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(short(text.into()));
        self
    }

    /// What the user can do.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(short(text.into()));
        self
    }

    /// Whether this is an error rather than a warning or note.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The diagnostic as the compiler's users know it: header, source lines with underlines, notes and help.
    /// `color` puts in terminal colours.
    pub fn render(&self, color: bool) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let mut title = level.primary_title(self.message.as_str());
        if !self.code.is_empty() {
            title = title.id(self.code);
        }
        let places: Vec<_> = self
            .span
            .iter()
            .map(|s| (*s, self.label.as_str(), AnnotationKind::Primary))
            .chain(self.labels.iter().map(|(s, t)| (*s, t.as_str(), AnnotationKind::Context)))
            .map(|(s, text, kind)| (s, text, kind, s.file.name(), s.file.text()))
            .collect();
        let mut group = Group::with_title(title);
        let mut files: Vec<_> = places.iter().map(|p| p.0.file).collect();
        files.dedup();
        let mut seen = Vec::new();
        for file in files {
            if seen.contains(&file) {
                continue;
            }
            seen.push(file);
            let in_file: Vec<_> = places.iter().filter(|p| p.0.file == file).collect();
            let name = in_file[0].3.to_string();
            let lines = in_file.iter().map(|p| p.0.line);
            let lines = lines.clone().min().unwrap_or(1)..=lines.max().unwrap_or(1);
            match in_file[0].4.as_deref().and_then(|text| part(text, &lines)) {
                Some((first, text)) => {
                    let mut snippet = Snippet::source(text.to_string()).path(name).line_start(first as usize);
                    for (span, label, kind, ..) in in_file {
                        let range = Span { line: span.line - first + 1, ..*span }.byte_range(text);
                        let mark = kind.span(range);
                        snippet =
                            snippet.annotation(if label.is_empty() { mark } else { mark.label(label.to_string()) });
                    }
                    group = group.element(snippet);
                }
                None => {
                    for (span, label, ..) in in_file {
                        let text = if label.is_empty() { format!("at {span}") } else { format!("at {span}: {label}") };
                        group = group.element(Level::NOTE.message(text));
                    }
                }
            }
        }
        for note in &self.notes {
            group = group.element(Level::NOTE.message(note.as_str()));
        }
        for help in &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        renderer.render(&[group])
    }
}

/// Characters of a message at most: names may be as long as files.
const LONG: usize = 4000;
/// Bytes of a text of which places are shown, and of a line of it.
const MOST_SHOWN: usize = 64 << 10;
const MOST_LINE: usize = 2000;

/// A message without its middle, if it is too long.
fn short(text: String) -> String {
    let Some((cut, _)) = text.char_indices().nth(LONG) else { return text };
    let end = text.char_indices().rev().nth(LONG / 4).map_or(cut, |(at, _)| at).max(cut);
    format!("{}…{}", &text[..cut], &text[end..])
}

/// The part of a text that has these lines, and its first line; nothing if it is too much to be shown.
fn part<'a>(text: &'a str, lines: &std::ops::RangeInclusive<u32>) -> Option<(u32, &'a str)> {
    if text.len() <= MOST_SHOWN && text.lines().all(|l| l.len() <= MOST_LINE) {
        return Some((1, text));
    }
    let start = |line: u32| match line {
        0 | 1 => Some(0),
        _ => text.match_indices('\n').nth(line as usize - 2).map(|(at, _)| at + 1),
    };
    let from = start(*lines.start())?;
    let part = &text[from..start(*lines.end() + 1).unwrap_or(text.len())];
    let fits = part.len() <= MOST_SHOWN && part.lines().all(|l| l.len() <= MOST_LINE);
    fits.then_some(((*lines.start()).max(1), part))
}

/// One line: `file:line:column: error[E0311]: message`.
impl std::fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(span) = self.span {
            write!(f, "{span}: ")?;
        }
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        match self.code {
            "" => write!(f, "{severity}: {}", self.message),
            code => write!(f, "{severity}[{code}]: {}", self.message),
        }
    }
}

impl std::error::Error for Diagnostic {}

/// For `--json`: code, severity, file, line, column, length, message, labels, notes, help.
impl Serialize for Diagnostic {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Place<'a> {
            file: String,
            line: u32,
            column: u32,
            length: u32,
            text: &'a str,
        }
        fn place<'a>(span: &Span, text: &'a str) -> Place<'a> {
            Place { file: span.file.name().to_string(), line: span.line, column: span.column, length: span.len, text }
        }
        let mut s = serializer.serialize_struct("Diagnostic", 7)?;
        s.serialize_field("code", self.code)?;
        s.serialize_field("severity", &self.severity)?;
        s.serialize_field("message", &self.message)?;
        s.serialize_field("place", &self.span.as_ref().map(|span| place(span, &self.label)))?;
        let labels: Vec<_> = self.labels.iter().map(|(span, text)| place(span, text)).collect();
        s.serialize_field("labels", &labels)?;
        s.serialize_field("notes", &self.notes)?;
        s.serialize_field("help", &self.help)?;
        s.end()
    }
}

/// Returns early with an error diagnostic: `bail!(span, "E0102", "message {x}")`, with `; help: "…"` if there is help.
#[macro_export]
macro_rules! bail {
    ($span:expr, $code:literal, $fmt:literal $(, $arg:expr)* $(; help: $help:expr)?) => {
        return Err($crate::Diagnostic::error($code, format!($fmt $(, $arg)*)).at($span)$(.help($help))?.into())
    };
}

/// Stops with a message that says that this is a bug of Quadra, not of the user's program.
#[macro_export]
macro_rules! bug {
    ($($arg:tt)*) => {
        panic!("this is a bug in Quadra, not in your program: {}", format_args!($($arg)*))
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileId;

    #[test]
    fn a_rendered_diagnostic_shows_line_and_help() {
        let file = FileId::of_text("k.rs", "fn k() {\n    a + b\n}\n");
        let text = Diagnostic::error("E0001", "cannot add a float to an integer")
            .at(Span::new(file, 2, 5, 5))
            .label("Int + Float")
            .help("convert with `to_float`")
            .render(false);
        assert!(text.contains("error[E0001]: cannot add a float to an integer"), "{text}");
        assert!(text.contains("k.rs:2:5"), "{text}");
        assert!(text.contains("a + b") && text.contains("Int + Float"), "{text}");
        assert!(text.contains("help: convert with `to_float`"), "{text}");
    }

    #[test]
    fn places_in_large_files_and_long_lines_are_shown_as_far_as_that_helps() {
        let text = format!("{}x = 1\n{}\n", "filler\n".repeat(20_000), "y".repeat(1 << 20));
        let file = FileId::of_text("large.q", &text);
        let shown = Diagnostic::error("E0001", "wrong").at(Span::new(file, 20_001, 5, 1)).render(false);
        assert!(shown.contains("large.q:20001:5") && shown.contains("20001 | x = 1"), "{shown}");
        let shown = Diagnostic::error("E0001", "wrong").at(Span::new(file, 20_002, 1, 1 << 20)).render(false);
        assert!(shown.contains("large.q:20002:1") && shown.len() < 1000, "{shown}");
        let long = Diagnostic::error("E0001", format!("'{}' is not defined", "z".repeat(1 << 20)));
        assert!(long.message.len() < 6000 && long.message.ends_with("z' is not defined"));
    }

    #[test]
    fn a_diagnostic_without_source_text_still_names_the_place() {
        let span = Span::new(FileId::of_name("gone/away.rs"), 7, 3, 1);
        let text = Diagnostic::warning("", "odd").at(span).render(false);
        assert!(text.contains("gone/away.rs:7:3"), "{text}");
    }
}
