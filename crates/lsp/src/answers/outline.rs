//! Document symbols and folding ranges.

use crate::program::model::Model;
use crate::program::source::Source;
use crate::program::symbols::{Kind, Site};
use lsp_types::{DocumentSymbol, FoldingRange, FoldingRangeKind, SymbolKind};
use std::ops::Range;

#[allow(deprecated)]
fn symbol(
    source: &Source,
    name: &str,
    kind: SymbolKind,
    detail: Option<String>,
    all: Range<usize>,
    own: Range<usize>,
) -> DocumentSymbol {
    let all = all.start.min(own.start)..all.end.max(own.end);
    DocumentSymbol {
        name: name.to_string(),
        detail,
        kind,
        tags: None,
        deprecated: None,
        range: source.text.range(all),
        selection_range: source.text.range(own),
        children: None,
    }
}

/// Functions with what they define, types with their fields, global variables.
pub fn symbols(model: &Model, source: &Source) -> Vec<DocumentSymbol> {
    let mut found: Vec<(Range<usize>, DocumentSymbol)> = Vec::new();
    let mut seen = vec![false; model.symbols.symbols.len()];
    for site in model.symbols.sites.iter().filter(|s| s.span.file == source.id && s.write) {
        let what = &model.symbols.symbols[site.symbol];
        let own = source.text.bytes(site.span);
        let first = !std::mem::replace(&mut seen[site.symbol], true);
        let entry = match &what.kind {
            Kind::Function => Some((SymbolKind::FUNCTION, definition(source, site, "function"))),
            Kind::Variable if what.function.as_ref().is_some_and(|f| f.name == what.name) => {
                Some((SymbolKind::FUNCTION, definition(source, site, "function")))
            }
            Kind::Type => Some((SymbolKind::CLASS, definition(source, site, "class"))),
            Kind::Field(_) => Some((SymbolKind::FIELD, own.clone())),
            Kind::Variable if what.scope == 0 && first => Some((SymbolKind::VARIABLE, own.clone())),
            _ => None,
        };
        if let Some((kind, all)) = entry {
            let detail = model.type_of(site.symbol);
            found.push((all.clone(), symbol(source, &what.name, kind, detail, all, own)));
        }
    }
    found.sort_by_key(|(all, _)| (all.start, std::cmp::Reverse(all.end)));
    nest(&mut found.into_iter().peekable(), usize::MAX)
}

type Entries = std::iter::Peekable<std::vec::IntoIter<(Range<usize>, DocumentSymbol)>>;

/// Those that begin before `end`, each with what lies in it.
fn nest(entries: &mut Entries, end: usize) -> Vec<DocumentSymbol> {
    let mut list = Vec::new();
    while let Some((all, mut one)) = entries.next_if(|(all, _)| all.start < end) {
        let inner = nest(entries, all.end);
        one.children = (!inner.is_empty()).then_some(inner);
        list.push(one);
    }
    list
}

/// The whole definition whose name stands at a site.
fn definition(source: &Source, site: &Site, word: &str) -> Range<usize> {
    let name = source.at(site.span);
    let own = source.text.bytes(site.span);
    if word == "class" {
        let class =
            (name..(name + 5).min(source.tokens.len())).find_map(|t| source.block_from(t)).filter(|b| b.word == word);
        let start = name.checked_sub(1).map_or(own.start, |t| source.text.bytes(source.tokens[t].span).start);
        let end = class.map_or(own.end, |b| source.text.bytes(source.tokens[b.last].span).end);
        return start..end;
    }
    let behind = source.blocks.partition_point(|b| b.first <= name);
    let block = source.blocks[..behind].iter().rev().find(|b| b.word == word);
    block.map_or(own, |b| {
        let start = source.text.bytes(source.tokens[b.first].span).start;
        start..source.text.bytes(source.tokens[b.last].span).end
    })
}

/// Blocks and comments of several lines.
pub fn folding(source: &Source) -> Vec<FoldingRange> {
    let fold =
        |start: u32, end: u32, kind| FoldingRange { start_line: start, end_line: end, kind, ..FoldingRange::default() };
    let line = |byte: usize| source.text.position(byte).line;
    let at = |token: usize| line(source.text.bytes(source.tokens[token].span).start);
    let blocks = source.blocks.iter().map(|b| (at(b.first), at(b.last))).filter(|(a, b)| a + 1 < *b);
    let mut folds: Vec<FoldingRange> = blocks.map(|(a, b)| fold(a, b - 1, None)).collect();
    let own = |c: &Range<usize>| source.text.text[source.text.row(c.start).start..c.start].trim().is_empty();
    let comments: Vec<u32> = source.comments().into_iter().filter(own).map(|c| line(c.start)).collect();
    for run in comments.chunk_by(|a, b| a + 1 == *b).filter(|run| run.len() > 1) {
        folds.push(fold(run[0], run[run.len() - 1], Some(FoldingRangeKind::Comment)));
    }
    folds
}
