//! Diagnostics of the language as the protocol has them.

use crate::program::language::ast::{Block, StmtKind};
use crate::program::model::Model;
use crate::program::source::Source;
use lsp_types::{
    Diagnostic as Shown, DiagnosticRelatedInformation, DiagnosticSeverity, NumberOrString, Position, Range, Uri,
};
use quadra_base::{Diagnostic, FileId, Severity, Span};
use std::path::Path;

/// The note on a loop that is serial and does not look parallel: the hint at the loop says it.
const HINTED: &str = "Q0510";

/// What is wrong with the main file; errors of an imported one stand at its import.
pub fn diagnostics(model: &Model, uri_of: &dyn Fn(&Path) -> Option<Uri>) -> Vec<Shown> {
    let found = model.analysis.diagnostics.iter().filter(|d| d.code != HINTED);
    let mut shown: Vec<Shown> = Vec::new();
    for d in found {
        let Some(one) = show(model, d, uri_of) else { continue };
        if !shown.contains(&one) {
            shown.push(one);
        }
    }
    shown
}

fn show(model: &Model, d: &Diagnostic, uri_of: &dyn Fn(&Path) -> Option<Uri>) -> Option<Shown> {
    let source = model.source();
    let mut message = d.message.clone();
    let mut labels: Vec<(Span, &str)> = d.labels.iter().map(|(s, t)| (*s, t.as_str())).collect();
    let range = match d.span {
        None => Range::new(Position::new(0, 0), Position::new(0, 0)),
        Some(span) if span.file == source.id => place(source, span),
        Some(span) => {
            let at = import_of(&model.analysis.program.module.body, span.file).filter(|_| d.is_error())?;
            message = format!("in '{}': {message}", span.file.name());
            labels.insert(0, (span, "here"));
            place(source, at)
        }
    };
    for (word, lines) in [("note", &d.notes), ("help", &d.help)] {
        lines.iter().for_each(|line| message.push_str(&format!("\n{word}: {line}")));
    }
    if !d.label.is_empty() {
        message = format!("{message}\n{}", d.label);
    }
    let related = labels.into_iter().filter_map(|(span, text)| {
        let location = model.location(span, uri_of)?;
        Some(DiagnosticRelatedInformation { location, message: text.to_string() })
    });
    let related: Vec<_> = related.collect();
    Some(Shown {
        range,
        severity: Some(match d.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Note => DiagnosticSeverity::INFORMATION,
        }),
        code: (!d.code.is_empty()).then(|| NumberOrString::String(d.code.to_string())),
        source: Some("quasar".into()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        ..Shown::default()
    })
}

/// A place that can be seen: one behind the end of a line begins before it.
pub fn place(source: &Source, span: Span) -> Range {
    let bytes = source.text.bytes(span);
    if !bytes.is_empty() {
        return source.text.range(bytes);
    }
    let line = source.text.row(bytes.start).start;
    let before = source.text.text[line..bytes.start].chars().next_back().map_or(0, char::len_utf8);
    source.text.range(bytes.start - before..bytes.end)
}

/// The statement of the main file that brings in a file.
fn import_of(block: &Block, file: FileId) -> Option<Span> {
    fn holds(block: &Block, file: FileId) -> bool {
        block.iter().any(|s| s.span.file == file || matches!(&s.kind, StmtKind::Module(m) if holds(&m.body, file)))
    }
    block.iter().find_map(|s| match &s.kind {
        StmtKind::Module(m) if holds(&m.body, file) => Some(s.span),
        _ => None,
    })
}
