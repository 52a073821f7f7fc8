//! What is known of a program whose main file somebody edits.

use crate::program::language::ast::{Block, StmtKind};
use crate::program::language::{Analysis, analyse};
use crate::program::resolve::resolve;
use crate::program::source::Source;
use crate::program::symbols::{Kind, Site, SymbolId, Symbols};
use crate::program::uri;
use lsp_types::{Location, Uri};
use quadra_base::quick::Map;
use quadra_base::{FileId, Span};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub struct Model {
    pub root: FileId,
    pub analysis: Analysis,
    pub sources: Map<FileId, Source>,
    pub symbols: Symbols,
}

impl Model {
    /// Analyses the text as the file `name`, where `edited` texts count instead of files.
    pub fn new(name: &str, text: &str, edited: Vec<(PathBuf, Arc<str>)>, library: &[PathBuf]) -> Model {
        let analysis = analyse(name, text, edited, library);
        let root = analysis.program.file;
        let mut sources = Map::default();
        sources.insert(root, Source::new(root, text));
        files(&analysis.program.module.body, &mut |file| {
            if let (false, Some(text)) = (sources.contains_key(&file), file.text()) {
                sources.insert(file, Source::new(file, &text));
            }
        });
        let symbols = resolve(&analysis, &sources);
        Model { root, analysis, sources, symbols }
    }

    pub fn source(&self) -> &Source {
        &self.sources[&self.root]
    }

    /// Files that the program imports, as it names them.
    pub fn imports(&self) -> impl Iterator<Item = &Path> {
        self.sources.values().filter(|s| s.id != self.root).filter_map(|s| s.path.as_deref())
    }

    /// The source that is this file, by its real name.
    pub fn source_of(&self, path: &Path) -> Option<&Source> {
        self.sources.values().find(|s| s.path.as_deref().is_some_and(|p| p == path || real(p) == path))
    }

    /// The name at or right before a byte of a file.
    pub fn site_at(&self, source: &Source, byte: usize) -> Option<&Site> {
        let (line, column) = source.text.place(byte);
        self.symbols.site(source.id, line, column)
    }

    /// A place in the editor's terms; none in files that are only within the command.
    pub fn location(&self, span: Span, of: &dyn Fn(&Path) -> Option<Uri>) -> Option<Location> {
        let source = self.sources.get(&span.file)?;
        let uri = of(source.path.as_deref()?)?;
        Some(Location::new(uri, source.text.span(span)))
    }

    /// The text of a place.
    pub fn written(&self, span: Span) -> Option<&str> {
        let source = self.sources.get(&span.file)?;
        source.text.text.get(source.text.bytes(span))
    }

    /// The type at a site: of the expression there, or else as it is written, or what the variable has elsewhere.
    pub fn type_at(&self, site: &Site) -> Option<String> {
        let types = &self.analysis.facts.expressions;
        let of = |site: &Site| site.node.and_then(|node| types.get(&node)).map(|ty| ty.to_string());
        of(site).or_else(|| self.type_of(site.symbol))
    }

    /// The type of a symbol that has one wherever it stands.
    pub fn type_of(&self, symbol: SymbolId) -> Option<String> {
        let what = &self.symbols.symbols[symbol];
        if let Some(written) = what.written.and_then(|span| self.written(span)) {
            return Some(written.to_string());
        }
        if !matches!(what.kind, Kind::Variable | Kind::Parameter) {
            return None;
        }
        let types = &self.analysis.facts.expressions;
        let mut found: Vec<String> = Vec::new();
        for ty in self.symbols.of(symbol).filter_map(|site| types.get(&site.node?)) {
            let ty = ty.to_string();
            if !found.contains(&ty) {
                found.push(ty);
            }
        }
        (1..=3).contains(&found.len()).then(|| found.join(" or "))
    }

    /// The known size of the array at a site, `128x192`.
    pub fn size_at(&self, site: &Site) -> Option<String> {
        let shape = self.analysis.facts.sizes.get(&site.node?)?;
        Some(shape.iter().map(|n| n.map_or(":".into(), |n| n.to_string())).collect::<Vec<_>>().join("x"))
    }
}

/// The name under which a file is one and the same, however it was reached.
pub fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// The URI of a file that nobody has open.
pub fn uri_of(path: &Path) -> Option<Uri> {
    uri::of_path(&real(path))
}

/// The files of the modules in a block.
fn files(block: &Block, found: &mut dyn FnMut(FileId)) {
    for stmt in block {
        if let StmtKind::Module(module) = &stmt.kind {
            module.body.iter().for_each(|s| found(s.span.file));
            files(&module.body, found);
        }
    }
}
