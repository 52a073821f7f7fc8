//! Inlay hints: at every loop over which variables it is parallel, or why it is not.

use crate::program::language::LoopVerdict;
use crate::program::language::ast::{Block, ExprKind, For, FunctionKind, NodeId, Stmt, StmtKind, Text as Name};
use crate::program::model::Model;
use crate::program::source::Source;
use lsp_types::{InlayHint, InlayHintLabel, InlayHintTooltip, MarkupContent, MarkupKind};
use quadra_base::Span;
use quadra_base::quick::Map;

/// Hints at the loops of a file whose heads lie in `bytes`.
pub fn hints(model: &Model, source: &Source, bytes: std::ops::Range<usize>) -> Vec<InlayHint> {
    let verdicts = model.analysis.verdicts.iter().map(|v| (v.id, v)).collect();
    let mut walk = Walk { model, verdicts, around: Vec::new(), kind: FunctionKind::Host, found: Vec::new() };
    walk.block(&model.analysis.program.module.body);
    let mut hints = Vec::new();
    for (span, text, more) in walk.found {
        let at = if span.file == source.id { source.text.bytes(span) } else { continue };
        if at.start >= bytes.end || at.end < bytes.start {
            continue;
        }
        let tooltip = (!more.is_empty())
            .then_some(InlayHintTooltip::MarkupContent(MarkupContent { kind: MarkupKind::PlainText, value: more }));
        hints.push(InlayHint {
            position: source.text.position(at.end),
            label: InlayHintLabel::String(text),
            kind: None,
            text_edits: None,
            tooltip,
            padding_left: Some(true),
            padding_right: None,
            data: None,
        });
    }
    hints
}

struct Walk<'a> {
    model: &'a Model,
    verdicts: Map<NodeId, &'a LoopVerdict>,
    /// Parallel loops around: the variable, and how many loops directly within belong to the nest.
    around: Vec<(Name, usize)>,
    kind: FunctionKind,
    found: Vec<(Span, String, String)>,
}

impl Walk<'_> {
    fn block(&mut self, block: &Block) {
        block.iter().for_each(|s| self.statement(s));
    }

    fn statement(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::For(f) => self.for_loop(f),
            StmtKind::While { condition, body } => self.other(condition.span, "while", body),
            StmtKind::Repeat { body, .. } => self.other(Span { len: 6, ..stmt.span }, "repeat", body),
            StmtKind::If { arms, otherwise } => {
                arms.iter().for_each(|a| self.block(&a.1));
                self.block(otherwise);
            }
            StmtKind::Match { arms, .. } => arms.iter().for_each(|a| self.block(&a.body)),
            StmtKind::Try { body, handler, .. } => {
                self.block(body);
                self.block(handler);
            }
            StmtKind::Function(f) => {
                let around = std::mem::take(&mut self.around);
                let kind = std::mem::replace(&mut self.kind, f.kind);
                self.block(&f.body);
                self.kind = kind;
                self.around = around;
            }
            StmtKind::Module(m) => self.block(&m.body),
            _ => {}
        }
    }

    /// Why a loop has no verdict of its own.
    fn within(&self) -> Option<String> {
        let (outer, nest) = self.around.last()?;
        Some(match nest {
            0 => format!("serial within the parallel loop over {outer}"),
            _ => format!("parallel with the loop over {outer}"),
        })
    }

    fn for_loop(&mut self, f: &For) {
        let verdict = self.verdicts.get(&f.id).copied();
        let text = match verdict {
            Some(verdict) => verdict.text.clone(),
            None if self.kind != FunctionKind::Host => "serial in each thread".into(),
            None => self.within().unwrap_or_else(|| match f.over.kind {
                ExprKind::Range { .. } => "serial: not judged".into(),
                _ => "serial: it runs over the items of an array".into(),
            }),
        };
        let more = verdict.map(|v| self.advice(v.span)).unwrap_or_default();
        self.found.push((f.span, text, more));
        let depth = match (verdict, self.around.last()) {
            (Some(v), _) => v.depth,
            (None, Some((_, nest))) => *nest,
            (None, None) => 0,
        };
        let parallel = depth > 0 || !self.around.is_empty();
        if parallel {
            let name = if verdict.is_some() { f.name.clone() } else { self.around[self.around.len() - 1].0.clone() };
            self.around.push((name, depth.saturating_sub(1)));
        }
        self.block(&f.body);
        if parallel {
            self.around.pop();
        }
    }

    fn other(&mut self, head: Span, word: &str, body: &Block) {
        let text = match self.kind {
            FunctionKind::Host => self.within().unwrap_or_else(|| format!("serial: a {word}-loop")),
            _ => "serial in each thread".into(),
        };
        self.found.push((head, text, String::new()));
        let nest = self.around.last().map(|a| (a.0.clone(), 0));
        self.around.extend(nest.clone());
        self.block(body);
        nest.iter().for_each(|_| drop(self.around.pop()));
    }

    /// Notes and help of the diagnostics at a loop.
    fn advice(&self, span: Span) -> String {
        let found = self.model.analysis.diagnostics.iter().filter(|d| d.span == Some(span));
        let lines = found.flat_map(|d| d.notes.iter().chain(&d.help).map(String::as_str));
        lines.collect::<Vec<_>>().join("\n")
    }
}
