//! Hover: type, size, signature and documentation of what stands at a place.

use crate::program::language::token::Tok;
use crate::program::language::{Shipped, entry, library};
use crate::program::model::Model;
use crate::program::source::Source;
use crate::program::symbols::{Kind, Site, Symbol};
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind};

pub fn hover(model: &Model, source: &Source, byte: usize) -> Option<Hover> {
    let (text, span) = match model.site_at(source, byte) {
        Some(site) => (site_text(model, site)?, site.span),
        None => {
            let token = source.touching(byte)?;
            let Tok::Keyword(word) = source.tokens[token].kind else { return None };
            (documentation(word)?, source.tokens[token].span)
        }
    };
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value: text });
    Some(Hover { contents, range: Some(source.text.span(span)) })
}

pub fn code(text: &str) -> String {
    format!("```quasar\n{text}\n```")
}

fn site_text(model: &Model, site: &Site) -> Option<String> {
    let symbol = &model.symbols.symbols[site.symbol];
    if let Some(text) = function_text(model, symbol) {
        return Some(text);
    }
    let typed = |what: &str| match model.type_at(site) {
        Some(ty) => code(&format!("{what}{} : {ty}", symbol.name)),
        None => code(&format!("{what}{}", symbol.name)),
    };
    match &symbol.kind {
        Kind::Variable | Kind::Parameter => {
            let size = model.size_at(site).map(|size| format!("\n\nsize {size}"));
            Some(typed("") + &size.unwrap_or_default())
        }
        Kind::TypeParameter => Some(typed("type parameter ")),
        Kind::Field(class) if !class.is_empty() => Some(typed(&format!("{class}."))),
        Kind::Field(_) | Kind::Argument => Some(typed("field ")),
        Kind::Type => type_text(model, site),
        Kind::Shipped(_) => documentation(&symbol.name),
        Kind::Function | Kind::Unknown => None,
    }
}

/// Head and comment of the function that a symbol is.
pub fn function_text(model: &Model, symbol: &Symbol) -> Option<String> {
    let f = symbol.function.as_ref().filter(|f| symbol.kind == Kind::Function || f.name == symbol.name)?;
    let head = model.written(f.span)?;
    let above = model.sources.get(&f.span.file)?.comment_above(f.span.line);
    Some(if above.is_empty() { code(head) } else { format!("{}\n\n{above}", code(head)) })
}

fn type_text(model: &Model, site: &Site) -> Option<String> {
    let definition = *model.symbols.definitions(site.symbol).first()?;
    let source = model.sources.get(&definition.span.file)?;
    let first = source.at(definition.span).checked_sub(1)?;
    let class = (first..(first + 6).min(source.tokens.len())).find_map(|t| source.block_from(t));
    let text = match class {
        Some(block) => source.slice(first, block.last).to_string(),
        None => source.text.text[source.text.row(source.text.bytes(definition.span).start)].trim().to_string(),
    };
    let above = source.comment_above(definition.span.line);
    Some(if above.is_empty() { code(&text) } else { format!("{}\n\n{above}", code(&text)) })
}

/// What the reference says of a function or word of the language.
pub fn documentation(name: &str) -> Option<String> {
    if let Some([signature, about, example]) = entry(name) {
        return Some(format!("{}\n\n{about}\n\n{}", code(signature), code(example)));
    }
    if let Some((signature, about)) = described(name) {
        return Some(format!("{}\n\n{about}", code(&signature)));
    }
    let shipped = crate::program::language::shipped(name)?;
    Some(match shipped {
        Shipped::Type => code(&format!("type {name}")),
        _ => code(name),
    })
}

/// Signature and meaning of a function of the library that is written in the language.
pub fn described(name: &str) -> Option<(String, &'static str)> {
    library::defining(name)?;
    let calls = |signature: &str| {
        let head = signature.split('(').next().unwrap_or("");
        head.rsplit([' ', '=']).next() == Some(name)
    };
    library::described().into_iter().find(|(signature, _)| calls(signature))
}
