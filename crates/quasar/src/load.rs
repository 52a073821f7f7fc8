//! Programs from their text: parsing, and the files that they import.

use crate::options::Options;
use crate::{library, needed};
use quadra_base::{Diagnostic, FileId, Span};
use quadra_quasar_syntax::ast::{Module, NodeId, Stmt, StmtKind, Text};
use quadra_quasar_syntax::parser;
use quadra_quasar_vm::sandbox::Sandbox;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A program after parsing, with its imports in place.
#[derive(Clone)]
pub struct Program {
    pub file: FileId,
    pub module: Module,
    pub diagnostics: Vec<Diagnostic>,
    /// Built-in modules that were imported.
    pub modules: Vec<Text>,
    /// Imports that were skipped: names that the program does not define may be theirs.
    pub skipped: Vec<Text>,
    pub(crate) next_id: NodeId,
}

/// Parses a program text and the files it imports, among them those of the library whose functions it calls without defining
/// them; `defined` knows what the session has defined before.
pub fn parse(name: &str, text: &str, options: &Options, defined: &dyn Fn(&str) -> bool) -> Program {
    let file = FileId::of_text(name, text);
    let mut loader = Loader {
        options,
        seen: vec![PathBuf::from(name)],
        modules: Vec::new(),
        skipped: Vec::new(),
        diagnostics: Vec::new(),
        calls: BTreeSet::new(),
        next_id: 0,
    };
    let mut module = loader.load(file, text, Path::new(name), 0);
    loader.complete(&mut module, defined);
    let Loader { diagnostics, modules, skipped, next_id, .. } = loader;
    Program { file, module, diagnostics, modules, skipped, next_id }
}

/// Whether the statements define a function or a type of this name at the global scope.
fn defines(body: &[Stmt], name: &str) -> bool {
    body.iter().any(|s| match &s.kind {
        StmtKind::Function(f) => &*f.name == name,
        StmtKind::TypeDef(t) => &*t.name == name,
        StmtKind::Module(m) => defines(&m.body, name),
        _ => false,
    })
}

struct Loader<'a> {
    options: &'a Options,
    seen: Vec<PathBuf>,
    modules: Vec<Text>,
    skipped: Vec<Text>,
    diagnostics: Vec<Diagnostic>,
    /// Functions of the library that the files call.
    calls: BTreeSet<&'static str>,
    next_id: NodeId,
}

impl Loader<'_> {
    fn load(&mut self, file: FileId, text: &str, path: &Path, depth: u32) -> Module {
        let (mut module, diagnostics) = parser::parse(file, text, &mut self.next_id);
        self.diagnostics.extend(diagnostics);
        self.calls.extend(library::calls(text));
        for stmt in &mut module.body {
            if let StmtKind::Import(target) = &stmt.kind {
                let target = target.clone();
                stmt.kind = self.import(&target, stmt.span, path, depth);
            }
        }
        module
    }

    /// Puts what is called and not defined of the library's files in front. What the program defines itself is its own.
    fn complete(&mut self, module: &mut Module, defined: &dyn Fn(&str) -> bool) {
        let own = |f: &str| defined(f) && library::defining(f).is_some() || defines(&module.body, f);
        let mut shipped = Vec::new();
        for (file, text, part) in needed::of(&self.calls, &own) {
            let mut kind = self.shipped(file, text, &part);
            if let StmtKind::Module(m) = &mut kind {
                m.body.retain(|s| !matches!(&s.kind, StmtKind::Function(f) if own(&f.name)));
            }
            shipped.push(Stmt { kind, span: Span::new(FileId::of_text(&library::path(file), text), 1, 1, 1) });
        }
        module.body.splice(0..0, shipped);
    }

    /// Whether the sandbox allows to import a file.
    fn may_read(&self, path: &Path) -> bool {
        let Some(directory) = &self.options.sandbox else { return true };
        let places = std::iter::once(directory).chain(&self.options.library);
        places.filter_map(|d| Sandbox::new(Some(d)).ok()).any(|s| s.path(path).is_some())
    }

    fn import(&mut self, target: &Text, span: Span, from: &Path, depth: u32) -> StmtKind {
        let empty = StmtKind::Module(Module::default());
        if target.to_ascii_lowercase().ends_with(".dll") {
            self.skip(target, span, "a library of machine code");
            return empty;
        }
        let (base, elsewhere) = file_name(target);
        let directory = from.parent().unwrap_or(Path::new(""));
        let places = || std::iter::once(directory).chain(self.options.library.iter().map(PathBuf::as_path));
        let names = std::iter::once(&**target).chain(elsewhere.then_some(base));
        let mut paths = names.flat_map(|n| places().map(move |d| d.join(n)));
        let found = paths.find(|p| p.is_file() && self.may_read(p));
        let Some(path) = found else {
            if library::MODULES.contains(&base) {
                self.modules.push(base.into());
                return empty;
            }
            if let Some(text) = library::text(base) {
                if library::PARTIAL.contains(&base) {
                    self.skipped.push(target.clone());
                }
                return self.shipped(base, text, text);
            }
            let why = if elsewhere { "a file of another machine" } else { "a module that is not there" };
            if elsewhere || library::CLOSED.contains(&base) {
                self.skip(target, span, why);
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
        self.seen.push(unique.clone());
        let edited = self.options.edited.iter().find(|e| e.0 == unique).map(|e| Ok((e.1.to_string(), None)));
        match edited.unwrap_or_else(|| read(&path)) {
            Ok((text, foreign)) => {
                self.diagnostics.extend(foreign);
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

    /// Goes on without an import that cannot be had: what it defines is missed only where the program comes by.
    fn skip(&mut self, target: &Text, span: Span, what: &str) {
        let message = format!("import: '{target}' is skipped: {what}");
        let help = "what it would define is an error only where the program uses it";
        self.diagnostics.push(Diagnostic::warning("Q0119", message).at(span).help(help));
        self.skipped.push(target.clone());
    }

    /// A file of the library that comes with the language, or a part of it.
    fn shipped(&mut self, name: &str, text: &str, part: &str) -> StmtKind {
        let path = PathBuf::from(library::path(name));
        if self.seen.contains(&path) {
            return StmtKind::Module(Module::default());
        }
        self.seen.push(path.clone());
        let file = FileId::of_text(&library::path(name), text);
        StmtKind::Module(self.load(file, part, &path, 1))
    }
}

/// The last part of an import's name, and whether the name says where the file lay on the machine of its author.
fn file_name(target: &str) -> (&str, bool) {
    let drive = matches!(target.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    let base = target.rsplit(['/', '\\']).next().unwrap_or(target);
    (base, drive || target.starts_with(['/', '\\']))
}

/// The text of a program's file. One that is not UTF-8 is read as Latin-1, with a warning.
///
/// # Errors
/// The file cannot be read.
pub fn read(path: &Path) -> Result<(String, Option<Diagnostic>), Diagnostic> {
    let name = path.to_string_lossy();
    let bytes = std::fs::read(path)
        .map_err(|e| Diagnostic::error("", format!("cannot read '{name}': {e}")).help("name a Quasar program"))?;
    Ok(match String::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(e) => {
            let valid = e.utf8_error().valid_up_to();
            let line = e.as_bytes()[..valid].iter().filter(|b| **b == b'\n').count() as u32 + 1;
            let text: String = e.as_bytes().iter().map(|b| char::from(*b)).collect();
            let file = FileId::of_text(&name, &text);
            let message = format!("'{name}' is not UTF-8: read as Latin-1");
            let warning = Diagnostic::warning("Q0106", message).at(Span::new(file, line, 1, 1));
            (text, Some(warning.help("save the file as UTF-8")))
        }
    })
}
