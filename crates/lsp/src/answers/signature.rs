//! Signature help: the parameters of the call that a place lies in.

use super::hover::{described, function_text};
use crate::program::language::ast::Function;
use crate::program::language::entry;
use crate::program::language::token::{COMMANDS, Tok};
use crate::program::model::Model;
use crate::program::source::Source;
use crate::program::symbols::Kind;
use lsp_types::{
    Documentation, MarkupContent, MarkupKind, ParameterInformation, ParameterLabel, SignatureHelp, SignatureInformation,
};

/// The call around a place: the token of its function's name, and the number of arguments before the place.
fn call(source: &Source, byte: usize) -> Option<(usize, u32)> {
    let (line, column) = source.text.place(byte);
    let behind = source.tokens.partition_point(|t| (t.span.line, t.span.column + t.span.len) <= (line, column));
    let (mut depth, mut commas) = (0, 0);
    for i in (0..behind.min(source.tokens.len())).rev() {
        match &source.tokens[i].kind {
            Tok::Punct(")" | "]" | "}") => depth += 1,
            Tok::Punct("(") if depth == 0 => {
                return i.checked_sub(1).filter(|name| source.name(*name).is_some()).map(|name| (name, commas));
            }
            Tok::Punct("[" | "{") if depth == 0 => return None,
            Tok::Punct("(" | "[" | "{") => depth -= 1,
            Tok::Punct(",") if depth == 0 => commas += 1,
            Tok::Newline | Tok::Punct(";") if depth == 0 => return None,
            Tok::Name(name) if depth == 0 && COMMANDS.contains(&&**name) => {
                let starts = i == 0 || matches!(source.tokens[i - 1].kind, Tok::Newline | Tok::Punct(";"));
                if starts {
                    return Some((i, commas));
                }
            }
            _ => {}
        }
    }
    None
}

pub fn help(model: &Model, source: &Source, byte: usize) -> Option<SignatureHelp> {
    let (token, argument) = call(source, byte)?;
    let span = source.tokens[token].span;
    let site = model.symbols.site(source.id, span.line, span.column);
    let symbol = site.map(|s| &model.symbols.symbols[s.symbol]);
    let method = token > 0 && source.tokens[token - 1].kind == Tok::Punct(".");
    let argument = argument + u32::from(method);
    let function = symbol.and_then(|s| s.function.as_ref().filter(|_| s.kind != Kind::Parameter));
    let (label, parameters, about) = match (function, symbol) {
        (Some(f), Some(symbol)) => {
            let (label, parameters) = head(model, f, &symbol.name);
            (label, parameters, function_text(model, symbol).and_then(|t| Some(t.split_once("\n\n")?.1.to_string())))
        }
        _ => {
            let name = source.name(token)?;
            let (signature, about) = match entry(name) {
                Some([signature, about, _]) => (signature.to_string(), about),
                None => described(name)?,
            };
            let parameters = listed(&signature, name);
            (signature, parameters, Some(about.to_string()))
        }
    };
    let last = parameters.len().saturating_sub(1) as u32;
    let variadic = parameters
        .last()
        .is_some_and(|p| matches!(p, ParameterLabel::Simple(p) if p.contains('…') || p.starts_with("...")));
    let active = if variadic { argument.min(last) } else { argument };
    let markdown = |value| Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value });
    let signature = SignatureInformation {
        label,
        documentation: about.map(markdown),
        parameters: Some(
            parameters.into_iter().map(|label| ParameterInformation { label, documentation: None }).collect(),
        ),
        active_parameter: Some(active),
    };
    Some(SignatureHelp { signatures: vec![signature], active_signature: Some(0), active_parameter: Some(active) })
}

/// How a function of the program is called, and its parameters.
fn head(model: &Model, f: &Function, name: &str) -> (String, Vec<ParameterLabel>) {
    let params: Vec<String> = f.params.iter().map(|p| model.written(p.span).unwrap_or(&p.name).to_string()).collect();
    let outputs: Vec<&str> = f.outputs.iter().map(|o| &*o.0).collect();
    let results = match outputs[..] {
        [] => String::new(),
        [one] => format!("{one} = "),
        _ => format!("[{}] = ", outputs.join(", ")),
    };
    (format!("{results}{name}({})", params.join(", ")), params.into_iter().map(ParameterLabel::Simple).collect())
}

/// The parameters in a signature of the reference, `imfilter(x, mask, "boundary")`.
fn listed(signature: &str, name: &str) -> Vec<ParameterLabel> {
    let begin = signature.find(&format!("{name}(")).map(|at| at + name.len() + 1);
    let inside = begin.and_then(|at| signature[at..].split(')').next()).unwrap_or("");
    let parts = inside.split(',').map(str::trim).filter(|p| !p.is_empty());
    parts.map(|p| ParameterLabel::Simple(p.to_string())).collect()
}
