//! Completion: fields behind a point, modifiers behind an apostrophe, files in an import, or every name that has a meaning here.

use super::hover::documentation;
use crate::program::language::token::{KEYWORDS, LITERAL_MODIFIERS};
use crate::program::language::{Type, builtins, library};
use crate::program::model::Model;
use crate::program::source::Source;
use crate::program::symbols::Kind;
use lsp_types::{CompletionItem, CompletionItemKind, Documentation, MarkupContent, MarkupKind};
use std::path::Path;

const ACCESS: &[&str] = &["safe", "circular", "mirror", "clamped", "const"];
const ATTRIBUTES: &[&str] = &["parallel for", "serial for", "relaxed for"];

fn item(label: &str, kind: CompletionItemKind, detail: Option<String>) -> CompletionItem {
    CompletionItem { label: label.to_string(), kind: Some(kind), detail, ..CompletionItem::default() }
}

pub fn completion(model: &Model, source: &Source, byte: usize) -> Vec<CompletionItem> {
    let line = &source.text.text[source.text.row(byte).start..byte];
    let prefix = &line[line
        .rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .map_or(0, |at| at + line[at..].chars().next().map_or(1, char::len_utf8))..];
    let before = &line[..line.len() - prefix.len()];
    let quotes = before.matches('"').count() % 2 == 1;
    if quotes {
        let path = before.trim_start().strip_prefix("import").and_then(|rest| rest.trim_start().strip_prefix('"'));
        return path.map_or(Vec::new(), |path| files(source, path));
    }
    if before.contains('%') && source.comments().iter().any(|c| c.start < byte && byte <= c.end) {
        return Vec::new();
    }
    if before.rfind("{!").is_some_and(|at| !before[at..].contains('}')) {
        return ATTRIBUTES.iter().map(|a| item(a, CompletionItemKind::KEYWORD, None)).collect();
    }
    if before.ends_with('\'') {
        let words = LITERAL_MODIFIERS.iter().chain(ACCESS);
        return words.map(|w| item(w, CompletionItemKind::KEYWORD, None)).collect();
    }
    let mut items = match before.strip_suffix('.') {
        Some(base) if !base.ends_with('.') => members(model, source, byte - prefix.len() - 1),
        _ => names(model, source, byte),
    };
    let prefix = prefix.to_ascii_lowercase();
    items.retain(|i| i.label.to_ascii_lowercase().starts_with(&prefix));
    items.sort_by(|a, b| a.label.cmp(&b.label));
    items.dedup_by(|a, b| a.label == b.label);
    items
}

/// Programs and directories beside the file, below the directory that is typed already; and those that come with the language.
fn files(source: &Source, typed: &str) -> Vec<CompletionItem> {
    let folder = typed.rfind('/').map_or("", |at| &typed[..at]);
    let mut items = Vec::new();
    if folder.is_empty() {
        let shipped = library::FILES.iter().map(|f| f.0).chain(library::MODULES.iter().copied());
        items.extend(shipped.map(|name| item(name, CompletionItemKind::FILE, None)));
    }
    let own = source.path.as_deref().unwrap_or(Path::new(""));
    let Ok(entries) = std::fs::read_dir(own.parent().unwrap_or(Path::new("")).join(folder)) else { return items };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".q") && Some(entry.file_name().as_os_str()) != own.file_name() {
            items.push(item(&name, CompletionItemKind::FILE, None));
        } else if entry.file_type().is_ok_and(|t| t.is_dir()) && !name.starts_with('.') {
            items.push(item(&name, CompletionItemKind::FOLDER, None));
        }
    }
    items.sort_by(|a, b| a.label.cmp(&b.label));
    items
}

/// Fields of what ends at a byte, and methods.
fn members(model: &Model, source: &Source, byte: usize) -> Vec<CompletionItem> {
    let (line, column) = source.text.place(byte);
    let node = model.symbols.ends.get(&(source.id, line, column));
    let class = match node.and_then(|n| model.analysis.facts.expressions.get(n)) {
        Some(Type::Class(c) | Type::Pointer(c)) => Some(c.clone()),
        _ => None,
    };
    let mut items = Vec::new();
    match class {
        Some(class) => {
            let fields = class.fields.borrow();
            items.extend(fields.iter().map(|(n, ty)| item(n, CompletionItemKind::FIELD, Some(ty.to_string()))));
        }
        None => {
            let fields = model.symbols.symbols.iter().filter(|s| matches!(s.kind, Kind::Field(_)));
            items.extend(fields.map(|s| item(&s.name, CompletionItemKind::FIELD, None)));
        }
    }
    for symbol in &model.symbols.symbols {
        let own = |f: &std::rc::Rc<crate::program::language::ast::Function>| {
            f.params.first().is_some_and(|p| &*p.name == "self")
        };
        if symbol.kind == Kind::Function && symbol.function.as_ref().is_some_and(own) {
            items.push(item(&symbol.name, CompletionItemKind::METHOD, None));
        }
    }
    items
}

/// The innermost scope of a function statement that a byte lies in.
fn scope_at(model: &Model, source: &Source, byte: usize) -> usize {
    let place = source.text.place(byte);
    let inside = model.symbols.scopes.iter().enumerate().filter_map(|(i, scope)| {
        let f = scope.function.as_ref().filter(|f| !f.lambda && f.span.file == source.id)?;
        let block = source.block_from(source.at(f.span))?;
        let last = source.tokens[block.last].span;
        let begins = (f.span.line, f.span.column);
        (begins <= place && place <= (last.line, last.column + last.len)).then_some((begins, i))
    });
    inside.max().map_or(0, |(_, scope)| scope)
}

fn names(model: &Model, source: &Source, byte: usize) -> Vec<CompletionItem> {
    let mut items = Vec::new();
    let mut scope = Some(scope_at(model, source, byte));
    while let Some(at) = scope {
        let here = &model.symbols.scopes[at];
        // A name that stands only where the cursor is gets no entry of its own.
        let typed = source.touching(byte).and_then(|t| source.name(t));
        for (name, id) in &here.names {
            if typed != Some(name) || model.symbols.of(*id).nth(1).is_some() {
                items.push(item(name, CompletionItemKind::VARIABLE, model.type_of(*id)));
            }
        }
        scope = here.parent;
    }
    for symbol in &model.symbols.symbols {
        match &symbol.kind {
            Kind::Function => {
                let head = symbol.function.as_ref().and_then(|f| model.written(f.span));
                items.push(item(&symbol.name, CompletionItemKind::FUNCTION, head.map(str::to_string)));
            }
            Kind::Type => items.push(item(&symbol.name, CompletionItemKind::CLASS, None)),
            _ => {}
        }
    }
    items.extend(shipped());
    items
}

fn shipped() -> Vec<CompletionItem> {
    let documented = |name: &str, kind, detail: &str| {
        let value = documentation(name).unwrap_or_default();
        let markdown = MarkupContent { kind: MarkupKind::Markdown, value };
        let documentation = Some(Documentation::MarkupContent(markdown));
        CompletionItem { documentation, ..item(name, kind, Some(detail.to_string())) }
    };
    let rows = builtins::table().iter().map(|b| documented(b.facts.name, CompletionItemKind::FUNCTION, b.signature));
    let words = builtins::words::themes().into_iter().flat_map(|(_, words)| words);
    let words = words.map(|w| documented(w.name, CompletionItemKind::KEYWORD, w.signature));
    let library = library::described().into_iter().filter_map(|(signature, about)| {
        let name = signature.split('(').next()?.rsplit([' ', '=']).next()?.to_string();
        let value = Documentation::String(about.to_string());
        Some(CompletionItem {
            documentation: Some(value),
            ..item(&name, CompletionItemKind::FUNCTION, Some(signature))
        })
    });
    let keywords = KEYWORDS.iter().map(|k| item(k, CompletionItemKind::KEYWORD, None));
    rows.chain(words).chain(library).chain(keywords).collect()
}
