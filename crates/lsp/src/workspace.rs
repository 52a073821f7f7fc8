//! A name in all programs that know it: those that are open, and those of the client's folders that import the file where it stands.

use crate::answers::rename;
use crate::program::model::{Model, real};
use crate::program::symbols::{Kind, SymbolId};
use crate::server::Server;
use lsp_types::{Location, Range};
use quadra_base::quick::Set;
use std::path::{Path, PathBuf};

/// Files that are looked at in the client's folders, and how deep.
const MOST_FILES: usize = 4000;
const DEEPEST: usize = 16;

/// A place by the real name of its file.
type Place = (PathBuf, Range);

pub struct Found {
    pub range: Range,
    pub file: PathBuf,
}

/// All sites of a symbol of the program of a document, whose number is `of`; if a new name is given, what speaks against it in any program is an error.
///
/// # Errors
/// Why the symbol cannot be renamed.
pub fn sites(
    server: &mut Server,
    of: usize,
    model: &Model,
    id: SymbolId,
    new: Option<&str>,
) -> Result<Vec<Found>, String> {
    let mut found: Set<Place> = Set::default();
    collect(model, id, new, &mut found)?;
    let symbol = &model.symbols.symbols[id];
    let wide = match &symbol.kind {
        Kind::Variable | Kind::Parameter | Kind::TypeParameter => symbol.scope == 0,
        Kind::Function | Kind::Type | Kind::Field(_) => true,
        _ => false,
    };
    // A parameter's name is also that of an argument, wherever its function is called.
    let wide = wide || symbol.kind == Kind::Parameter;
    if wide {
        let own: Vec<Place> = found.iter().cloned().collect();
        for other in others(server, of, &symbol.name) {
            if let Some(id) = same(&other, &own) {
                collect(&other, id, new, &mut found)?;
            }
        }
    }
    let mut list: Vec<Found> = found.into_iter().map(|(file, range)| Found { range, file }).collect();
    list.sort_by(|a, b| (&a.file, a.range.start).cmp(&(&b.file, b.range.start)));
    Ok(list)
}

fn collect(model: &Model, id: SymbolId, new: Option<&str>, found: &mut Set<Place>) -> Result<(), String> {
    if let Some(new) = new {
        rename::renamable(model, id)?;
        rename::fits(model, id, new)?;
    }
    for site in model.symbols.of(id) {
        let Some(source) = model.sources.get(&site.span.file) else { continue };
        if let Some(path) = &source.path {
            found.insert((real(path), source.text.span(site.span)));
        }
    }
    Ok(())
}

/// The symbol of a program that stands at one of these places.
fn same(model: &Model, places: &[Place]) -> Option<SymbolId> {
    places.iter().find_map(|(file, range)| {
        let source = model.source_of(file)?;
        let site = model.site_at(source, source.text.offset(range.start))?;
        (source.text.span(site.span) == *range).then_some(site.symbol)
    })
}

/// Other programs that name something and import anything.
fn others(server: &mut Server, of: usize, name: &str) -> Vec<Model> {
    let edited = server.edited();
    let mut files: Vec<PathBuf> = server.documents.iter().map(|d| PathBuf::from(&d.name)).collect();
    let mut known: Vec<PathBuf> = server.documents.iter().map(|d| d.real.clone()).collect();
    for folder in &server.folders {
        gather(folder, 0, &mut files);
    }
    let mut models = Vec::new();
    for (i, file) in files.into_iter().enumerate() {
        let path = real(&file);
        // The documents come first and stand in `known`, too.
        if i == of || i >= server.documents.len() && known.contains(&path) {
            continue;
        }
        known.push(path.clone());
        let text = match edited.iter().find(|e| e.0 == path) {
            Some((_, text)) => text.to_string(),
            None => std::fs::read_to_string(&path).unwrap_or_default(),
        };
        if text.contains("import") && (text.contains(name) || i < server.documents.len()) {
            server.analyses += 1;
            models.push(Model::new(&file.to_string_lossy(), &text, edited.clone(), &server.library));
        }
    }
    models
}

fn gather(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Ok(kind) = entry.file_type() else { continue };
        if files.len() >= MOST_FILES {
            return;
        }
        if kind.is_dir() && depth < DEEPEST && !name.starts_with('.') && name != "node_modules" && name != "target" {
            gather(&entry.path(), depth + 1, files);
        } else if kind.is_file() && name.ends_with(".q") {
            files.push(entry.path());
        }
    }
}

pub fn locations(server: &Server, found: Vec<Found>) -> Vec<Location> {
    found.into_iter().filter_map(|f| Some(Location::new(server.uri(&f.file)?, f.range))).collect()
}
