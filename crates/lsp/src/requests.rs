//! Requests to their answers.

use crate::answers::{actions, completion, edits, hints, hover, outline, rename, signature, tokens};
use crate::program::language::token::Tok;
use crate::program::model::{Model, real};
use crate::program::symbols::Site;
use crate::server::{Document, Server};
use crate::workspace;
use lsp_server::ErrorCode;
use lsp_types::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::HashMap;

type Answer = Result<Value, (ErrorCode, String)>;

/// What the server can do.
pub fn capabilities() -> Value {
    json!({
        "positionEncoding": "utf-16",
        "textDocumentSync": { "openClose": true, "change": 2 },
        "hoverProvider": true,
        "completionProvider": { "triggerCharacters": [".", "'", "\""] },
        "signatureHelpProvider": { "triggerCharacters": ["(", ","] },
        "definitionProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "documentSymbolProvider": true,
        "documentFormattingProvider": true,
        "foldingRangeProvider": true,
        "renameProvider": { "prepareProvider": true },
        "codeActionProvider": { "codeActionKinds": ["quickfix"] },
        "inlayHintProvider": true,
        "semanticTokensProvider": { "legend": tokens::legend(), "full": true, "range": true },
        "workspace": { "workspaceFolders": { "supported": true } },
    })
}

pub fn answer(server: &mut Server, method: &str, params: Value) -> Answer {
    match method {
        "textDocument/hover" => at(server, params, |_, m, byte| hover::hover(m, m.source(), byte)),
        "textDocument/completion" => at(server, params, |_, m, byte| completion::completion(m, m.source(), byte)),
        "textDocument/signatureHelp" => at(server, params, |_, m, byte| signature::help(m, m.source(), byte)),
        "textDocument/documentHighlight" => at(server, params, |_, m, byte| highlights(m, byte)),
        "textDocument/definition" => definition(server, params),
        "textDocument/references" => references(server, params),
        "textDocument/prepareRename" => prepare_rename(server, params),
        "textDocument/rename" => rename(server, params),
        "textDocument/codeAction" => code_actions(server, params),
        "textDocument/formatting" => in_document(server, params, |d, _, _| edits::formatting(&d.text)),
        "textDocument/documentSymbol" => in_document(server, params, |_, m, _| outline::symbols(m, m.source())),
        "textDocument/foldingRange" => in_document(server, params, |_, m, _| outline::folding(m.source())),
        "textDocument/inlayHint" => in_document(server, params, |_, m, range| hints::hints(m, m.source(), range)),
        "textDocument/semanticTokens/full" | "textDocument/semanticTokens/range" => {
            in_document(server, params, |_, m, range| SemanticTokens {
                result_id: None,
                data: tokens::tokens(m, m.source(), range),
            })
        }
        _ => Err((ErrorCode::MethodNotFound, format!("unknown request '{method}'"))),
    }
}

fn parse<T: DeserializeOwned>(params: Value) -> Result<T, (ErrorCode, String)> {
    serde_json::from_value(params).map_err(|e| (ErrorCode::InvalidParams, e.to_string()))
}

fn value(answer: impl Serialize) -> Answer {
    serde_json::to_value(answer).map_err(|e| (ErrorCode::InternalError, e.to_string()))
}

fn open<'s>(server: &'s mut Server, uri: &Uri) -> Result<(&'s Document, &'s Model), (ErrorCode, String)> {
    let unknown = || (ErrorCode::InvalidParams, format!("'{}' is not open", uri.as_str()));
    server.model(uri).ok_or_else(unknown)
}

/// A question about a place.
fn at<T: Serialize>(server: &mut Server, params: Value, find: impl FnOnce(&Document, &Model, usize) -> T) -> Answer {
    let place: TextDocumentPositionParams = parse(params)?;
    let (document, model) = open(server, &place.text_document.uri)?;
    value(find(document, model, document.text.offset(place.position)))
}

/// A question about a document, or the part of it in a range.
fn in_document<T: Serialize>(
    server: &mut Server,
    params: Value,
    find: impl FnOnce(&Document, &Model, std::ops::Range<usize>) -> T,
) -> Answer {
    let range = params.get("range").cloned().map(parse::<Range>).transpose()?;
    let id: TextDocumentIdentifier = parse(params.get("textDocument").cloned().unwrap_or_default())?;
    let (document, model) = open(server, &id.uri)?;
    let bytes = match range {
        Some(range) => document.text.offset(range.start)..document.text.offset(range.end),
        None => 0..usize::MAX,
    };
    value(find(document, model, bytes))
}

fn highlights(model: &Model, byte: usize) -> Vec<DocumentHighlight> {
    let Some(site) = model.site_at(model.source(), byte) else { return Vec::new() };
    let own = model.symbols.of(site.symbol).filter(|s| s.span.file == model.root);
    let kind = |s: &Site| Some(if s.write { DocumentHighlightKind::WRITE } else { DocumentHighlightKind::READ });
    own.map(|s| DocumentHighlight { range: model.source().text.span(s.span), kind: kind(s) }).collect()
}

fn definition(server: &mut Server, params: Value) -> Answer {
    let place: TextDocumentPositionParams = parse(params)?;
    let library = server.library.clone();
    let (document, model) = open(server, &place.text_document.uri)?;
    let byte = document.text.offset(place.position);
    let source = model.source();
    if let Some(site) = model.site_at(source, byte) {
        let spans: Vec<_> = model.symbols.definitions(site.symbol).iter().map(|s| s.span).collect();
        let found = spans.iter().filter_map(|s| Some((model.sources.get(&s.file)?, *s)));
        let found = found.filter_map(|(s, span)| Some((s.path.clone()?, s.text.span(span))));
        let found: Vec<_> = found.collect();
        let locations = found.into_iter().filter_map(|(path, range)| Some(Location::new(server.uri(&path)?, range)));
        return value(locations.collect::<Vec<_>>());
    }
    let import = source.touching(byte).filter(|t| *t > 0 && source.tokens[t - 1].kind == Tok::Keyword("import"));
    let Some(Tok::Str(target)) = import.map(|t| source.tokens[t].kind.clone()) else { return Ok(Value::Null) };
    let own = std::path::Path::new(&document.name).parent().map(|p| p.to_path_buf());
    let mut places = own.into_iter().chain(library).map(|folder| folder.join(&*target));
    let file = places.find(|path| path.is_file()).and_then(|path| server.uri(&path));
    value(file.map(|uri| Location::new(uri, Range::default())))
}

/// Asks a question about the symbol at a place that concerns other programs, too: the document's number, its program, the symbol.
fn symbol(
    server: &mut Server,
    place: &TextDocumentPositionParams,
    ask: impl FnOnce(&mut Server, usize, &Model, usize) -> Answer,
) -> Option<Answer> {
    let (at, model) = server.take_model(&place.text_document.uri)?;
    let byte = server.documents[at].text.offset(place.position);
    let id = model.site_at(model.source(), byte).map(|site| site.symbol);
    let answer = id.map(|id| ask(server, at, &model, id));
    server.give_back(at, model);
    answer
}

fn references(server: &mut Server, params: Value) -> Answer {
    let declared = params.pointer("/context/includeDeclaration").and_then(Value::as_bool).unwrap_or(true);
    let place: TextDocumentPositionParams = parse(params)?;
    open(server, &place.text_document.uri)?;
    let found = symbol(server, &place, |server, at, model, id| {
        let of = |s: &Site| {
            Some((real(model.sources[&s.span.file].path.as_deref()?), model.sources[&s.span.file].text.span(s.span)))
        };
        let definitions: Vec<_> = model.symbols.definitions(id).into_iter().filter_map(of).collect();
        let found = workspace::sites(server, at, model, id, None).unwrap_or_default();
        let kept =
            found.into_iter().filter(|f| declared || !definitions.iter().any(|d| d.0 == f.file && d.1 == f.range));
        let kept: Vec<_> = kept.collect();
        value(workspace::locations(server, kept))
    });
    found.unwrap_or(Ok(Value::Null))
}

fn refused(why: String) -> (ErrorCode, String) {
    (ErrorCode::RequestFailed, why)
}

fn prepare_rename(server: &mut Server, params: Value) -> Answer {
    let place: TextDocumentPositionParams = parse(params)?;
    let (document, model) = open(server, &place.text_document.uri)?;
    let byte = document.text.offset(place.position);
    let Some(site) = model.site_at(model.source(), byte) else { return Ok(Value::Null) };
    rename::renamable(model, site.symbol).map_err(refused)?;
    let placeholder = &model.symbols.symbols[site.symbol].name;
    Ok(json!({ "range": model.source().text.span(site.span), "placeholder": &**placeholder }))
}

fn rename(server: &mut Server, params: Value) -> Answer {
    let new = params.get("newName").and_then(Value::as_str).map(str::to_string);
    let new = new.ok_or((ErrorCode::InvalidParams, "a new name is missing".to_string()))?;
    let place: TextDocumentPositionParams = parse(params)?;
    open(server, &place.text_document.uri)?;
    let edit = symbol(server, &place, |server, at, model, id| {
        let found = workspace::sites(server, at, model, id, Some(&new)).map_err(refused)?;
        let edits = workspace::locations(server, found).into_iter();
        changes(edits.map(|l| (l.uri, TextEdit { range: l.range, new_text: new.clone() })))
    });
    edit.unwrap_or_else(|| Err(refused("there is no name here".into())))
}

/// Edits by their documents.
fn changes(edits: impl Iterator<Item = (Uri, TextEdit)>) -> Answer {
    let mut by_file: HashMap<String, Vec<TextEdit>> = HashMap::new();
    for (uri, edit) in edits {
        by_file.entry(uri.as_str().to_string()).or_default().push(edit);
    }
    Ok(json!({ "changes": by_file }))
}

fn code_actions(server: &mut Server, params: Value) -> Answer {
    let asked: CodeActionParams = parse(params)?;
    if asked
        .context
        .only
        .is_some_and(|only| !only.iter().any(|k| k.as_str().is_empty() || *k == CodeActionKind::QUICKFIX))
    {
        return value(Vec::<Value>::new());
    }
    let (document, model) = open(server, &asked.text_document.uri)?;
    let range = document.text.offset(asked.range.start)..document.text.offset(asked.range.end);
    let mut found = Vec::new();
    for d in &model.analysis.diagnostics {
        let Some(span) = d.span.filter(|s| s.file == model.root) else { continue };
        let own = model.source().text.bytes(span);
        if own.start > range.end || own.end < range.start {
            continue;
        }
        for fix in actions::fixes(model, d) {
            let edits: Vec<_> = fix
                .edits
                .into_iter()
                .filter_map(|e| {
                    let source = model.sources.get(&e.file)?;
                    Some((source.path.clone()?, TextEdit { range: source.text.range(e.bytes), new_text: e.new }))
                })
                .collect();
            found.push((fix.title, edits, d.code, model.source().text.range(own.clone())));
        }
    }
    let mut list = Vec::new();
    for (title, edits, code, place) in found {
        let edits = edits.into_iter().filter_map(|(path, edit)| Some((server.uri(&path)?, edit)));
        let edit = changes(edits)?;
        let diagnostics: Vec<_> = asked
            .context
            .diagnostics
            .iter()
            .filter(|d| d.range.start == place.start && d.code == Some(NumberOrString::String(code.to_string())))
            .collect();
        list.push(json!({ "title": title, "kind": "quickfix", "diagnostics": diagnostics, "edit": edit, "isPreferred": true }));
    }
    Ok(Value::Array(list))
}
