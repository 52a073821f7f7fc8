//! Programs from their text: parsing, and the files that they import.

use crate::host::sandbox::Sandbox;
use crate::session::Options;
use quadra_base::{Diagnostic, FileId, Span};
use quadra_quasar_syntax::ast::{Module, NodeId, StmtKind, Text};
use quadra_quasar_syntax::parser;
use std::path::{Path, PathBuf};

/// A program after parsing, with its imports in place.
pub struct Program {
    pub file: FileId,
    pub module: Module,
    pub diagnostics: Vec<Diagnostic>,
    /// Built-in modules that were imported.
    pub modules: Vec<Text>,
    pub(crate) next_id: NodeId,
}

const BUILTIN_MODULES: &[&str] = &["system.q", "inttypes.q", "imfilter.q", "linalg.q", "colortransform.q"];

/// Parses a program text and the files it imports.
pub fn parse(name: &str, text: &str, options: &Options) -> Program {
    let file = FileId::of_text(name, text);
    let mut loader =
        Loader { options, seen: vec![PathBuf::from(name)], modules: Vec::new(), diagnostics: Vec::new(), next_id: 0 };
    let module = loader.load(file, text, Path::new(name), 0);
    Program { file, module, diagnostics: loader.diagnostics, modules: loader.modules, next_id: loader.next_id }
}

struct Loader<'a> {
    options: &'a Options,
    seen: Vec<PathBuf>,
    modules: Vec<Text>,
    diagnostics: Vec<Diagnostic>,
    next_id: NodeId,
}

impl Loader<'_> {
    fn load(&mut self, file: FileId, text: &str, path: &Path, depth: u32) -> Module {
        let (mut module, diagnostics) = parser::parse(file, text, &mut self.next_id);
        self.diagnostics.extend(diagnostics);
        for stmt in &mut module.body {
            if let StmtKind::Import(target) = &stmt.kind {
                let target = target.clone();
                stmt.kind = self.import(&target, stmt.span, path, depth);
            }
        }
        module
    }

    /// Whether the sandbox allows to import a file.
    fn may_read(&self, path: &Path) -> bool {
        let Some(directory) = &self.options.sandbox else { return true };
        let places = std::iter::once(directory).chain(&self.options.library);
        places.filter_map(|d| Sandbox::new(Some(d)).ok()).any(|s| s.path(path).is_some())
    }

    fn import(&mut self, target: &Text, span: Span, from: &Path, depth: u32) -> StmtKind {
        let empty = StmtKind::Module(Module::default());
        if target.ends_with(".dll") {
            let help = "libraries of machine code cannot be imported";
            self.diagnostics
                .push(Diagnostic::error("Q0119", format!("import: '{target}' is not supported")).at(span).help(help));
            return empty;
        }
        let directory = from.parent().unwrap_or(Path::new(""));
        let places = std::iter::once(directory).chain(self.options.library.iter().map(PathBuf::as_path));
        let found = places.map(|d| d.join(&**target)).find(|p| p.is_file() && self.may_read(p));
        let Some(path) = found else {
            if BUILTIN_MODULES.contains(&&**target) {
                self.modules.push(target.clone());
                return empty;
            }
            let help = match self.options.sandbox {
                None => "the name is relative to the importing file or to the library path",
                Some(_) => "the name is relative to the importing file or to the library path, and lies in the sandbox",
            };
            self.diagnostics
                .push(Diagnostic::error("Q0119", format!("import: file '{target}' not found")).at(span).help(help));
            return empty;
        };
        let unique = path.canonicalize().unwrap_or_else(|_| path.clone());
        if self.seen.contains(&unique) || depth > 50 {
            return empty;
        }
        self.seen.push(unique);
        match std::fs::read_to_string(&path) {
            Ok(text) => {
                let file = FileId::of_text(&path.to_string_lossy(), &text);
                let mut module = self.load(file, &text, &path, depth + 1);
                module.body.retain(|s| !matches!(&s.kind, StmtKind::Function(f) if &*f.name == "main"));
                StmtKind::Module(module)
            }
            Err(e) => {
                self.diagnostics
                    .push(Diagnostic::error("Q0119", format!("import: '{target}' cannot be read: {e}")).at(span));
                empty
            }
        }
    }
}
