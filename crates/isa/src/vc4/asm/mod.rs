//! Assembly text to words: the language of vc4asm, with diagnostics.
//!
//! An instruction is a line of operations joined by `;`. What they leave open is chosen by [`super::fit`]. Expressions,
//! symbols, functions, macros, loops, conditions, includes and data directives work as vc4asm documents them; the include
//! `<vc4.qinc>` with the setup helpers under their customary names is built in. Not taken over: bit fields in `.bit` and
//! registers written as `:[…]`.
//!
//! Two passes over the text give labels their addresses: the first with unknown labels as zero, the second for good.
//! Nothing in the text can make the assembler panic or run without end; macros, loops and output have limits.
//!
//! ```
//! use quadra_isa::vc4::asm;
//! let text = "
//!     mov r0, unif
//! :loop
//!     sub.setf r0, r0, 1
//!     brr.anynz -, r:loop
//!     nop
//!     nop
//!     nop
//!     thrend
//!     nop
//!     nop
//! ";
//! let (assembly, diagnostics) = asm::assemble("countdown.qasm", text, &asm::Options::default());
//! assert!(diagnostics.is_empty());
//! assert_eq!(assembly.expect("no errors").words.len(), 9);
//! let (_, diagnostics) = asm::assemble("wrong.qasm", "add r0, ra1, ra2", &asm::Options::default());
//! assert_eq!(diagnostics[0].message, "`ra2` and `ra1` are both read from register file A");
//! ```

mod blocks;
mod codes;
mod directives;
mod expr;
mod formats;
mod labels;
mod lexer;
mod loads;
mod math;
mod operations;
mod output;
mod scope;
mod suggest;
mod suspicious;
mod synonyms;
mod value;

use super::inst::Inst;
use super::program::Program;
use quadra_base::{Diagnostic, FileId, Severity, Span};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

pub use codes::CODES;

/// A place's error on its way to the list of diagnostics.
type Fail = Box<Diagnostic>;

/// Macros, functions and includes nest at most this deep.
const MOST_DEPTH: usize = 64;
/// Lines run at most, counting every round of a loop.
const MOST_STEPS: u64 = 1_000_000;
/// Diagnostics reported at most.
const MOST_DIAGNOSTICS: usize = 100;

/// The include file of setup helpers.
const BUILT_IN: (&str, &str) = ("vc4.qinc", include_str!("../../../share/vc4.qinc"));

/// Where includes come from, and symbols set from outside.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Directories for `.include <file>`, in order; `<vc4.qinc>` needs none.
    pub include_dirs: Vec<PathBuf>,
    /// Files included before the text, as if by `.include <file>`.
    pub prelude: Vec<String>,
    /// Integer symbols defined before the text.
    pub symbols: Vec<(String, i64)>,
    /// Refuse to read files: only the built-in include exists.
    pub no_files: bool,
    /// Lines run at most, counting every round of a loop; a million if not set.
    pub most_steps: Option<u64>,
}

/// The result of assembling a text.
#[derive(Clone, PartialEq, Debug)]
pub struct Assembly {
    pub name: String,
    /// The words in order, instructions and data.
    pub words: Vec<u64>,
    /// The instruction of each word; `None` for data.
    pub insts: Vec<Option<Inst>>,
    /// Where each word comes from.
    pub spans: Vec<Option<Span>>,
    /// Labels and their byte addresses.
    pub labels: Vec<(String, u64)>,
    /// Symbols exported with `.global`; labels as byte addresses.
    pub globals: BTreeMap<String, i64>,
}

impl Assembly {
    /// The program for emulator, validator and listings. Data words are no instructions: in their places stand
    /// no-operations, so words and addresses of the rest agree.
    pub fn program(&self) -> Program {
        let insts = self.insts.iter().map(|inst| inst.unwrap_or(Inst::NOP)).collect();
        let aligned = self.labels.iter().filter(|(_, address)| address % 8 == 0);
        Program {
            name: self.name.clone(),
            insts,
            spans: self.spans.clone(),
            labels: aligned.map(|(name, address)| ((*address / 8) as usize, name.clone())).collect(),
            ..Program::default()
        }
    }
}

/// Assembles a text. `None` if there was an error; the diagnostics may hold warnings otherwise. Hardware rules are not
/// checked: see [`super::hazard`].
pub fn assemble(name: &str, text: &str, options: &Options) -> (Option<Assembly>, Vec<Diagnostic>) {
    assemble_file(FileId::of_text(name, text), name, text, options)
}

/// Like [`assemble`], for a file whose text need not be kept for messages.
pub fn assemble_file(file: FileId, name: &str, text: &str, options: &Options) -> (Option<Assembly>, Vec<Diagnostic>) {
    let (lines, lexical) = lexer::lines(file, text);
    let mut first = Assembler::new(options, labels::Labels::default(), Vec::new());
    first.run_all(name, &lines);
    let mut diagnostics = lexical;
    if first.stopped {
        // A second pass would only take as long again.
        diagnostics.append(&mut first.diagnostics);
        return (None, diagnostics);
    }
    let mut second = Assembler::new(options, first.labels, first.out.words);
    second.final_pass = true;
    second.run_all(name, &lines);
    second.check_labels();
    diagnostics.append(&mut second.diagnostics);
    diagnostics.truncate(MOST_DIAGNOSTICS);
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return (None, diagnostics);
    }
    (Some(second.finish(name)), diagnostics)
}

/// A macro.
#[derive(Clone, Debug)]
struct Macro {
    params: Rc<[Rc<str>]>,
    body: Rc<[lexer::Line]>,
}

/// The state of one pass.
struct Assembler<'o> {
    options: &'o Options,
    final_pass: bool,
    scopes: scope::Scopes,
    macros: HashMap<Rc<str>, Macro>,
    /// The labels of this pass, and those of the pass before.
    labels: labels::Labels,
    known: labels::Labels,
    out: output::Output,
    /// The words of the pass before, for `.clone` of what follows.
    before: Vec<output::Word>,
    globals: BTreeMap<String, i64>,
    diagnostics: Vec<Diagnostic>,
    seen: HashSet<(Option<Span>, String)>,
    steps: u64,
    depth: usize,
    /// The uses of macros and includes that are being assembled, for messages.
    uses: Vec<(Span, String)>,
    nesting: usize,
    /// The value of the function being run; `None` outside functions.
    function: Option<Option<value::Value>>,
    /// The error that ended a function.
    function_error: Option<Fail>,
    /// Set when a limit is exceeded: nothing more is assembled.
    stopped: bool,
    directory: PathBuf,
}

impl<'o> Assembler<'o> {
    fn new(options: &'o Options, known: labels::Labels, before: Vec<output::Word>) -> Assembler<'o> {
        Assembler {
            options,
            final_pass: false,
            scopes: scope::Scopes::new(),
            macros: HashMap::new(),
            labels: labels::Labels::default(),
            known,
            out: output::Output::default(),
            before,
            globals: BTreeMap::new(),
            diagnostics: Vec::new(),
            seen: HashSet::new(),
            steps: 0,
            depth: 0,
            uses: Vec::new(),
            nesting: 0,
            function: None,
            function_error: None,
            stopped: false,
            directory: PathBuf::new(),
        }
    }

    fn run_all(&mut self, name: &str, lines: &[lexer::Line]) {
        self.directory = Path::new(name).parent().map(Path::to_path_buf).unwrap_or_default();
        for (symbol, value) in &self.options.symbols {
            let symbol_value = scope::Symbol::Value(value::Value::Int(*value));
            // A repeated symbol keeps its last value; nothing is final here.
            let _ = self.scopes.define(symbol.as_str().into(), symbol_value, false, false);
        }
        for file in &self.options.prelude {
            let span = Span::new(FileId::of_name(name), 1, 1, 1);
            if let Err(fail) = self.include(file, true, span) {
                self.report(*fail);
            }
        }
        self.run(lines);
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        // Making a message costs more than running a line.
        self.steps += 10;
        let innermost = self.uses.iter().rev().take(2);
        let diagnostic = innermost.fold(diagnostic, |d, (span, what)| d.also(*span, format!("in this use of {what}")));
        let fresh = self.seen.insert((diagnostic.span, diagnostic.message.clone()));
        if fresh && self.diagnostics.len() < MOST_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        }
    }

    fn warn(&mut self, diagnostic: Diagnostic) {
        self.report(diagnostic);
    }

    /// Counts work; `Err` once there was too much of it.
    fn spend(&mut self, steps: usize, span: Span) -> Result<(), Fail> {
        self.steps += steps as u64;
        if self.steps > self.options.most_steps.unwrap_or(MOST_STEPS) || self.out.bytes() > output::MOST_BYTES {
            self.stopped = true;
            let message = "the program grows without end";
            let help = "check the counts of `.rep` and macros that call themselves";
            return Err(Box::new(Diagnostic::error("E0751", message).at(span).help(help)));
        }
        Ok(())
    }

    /// Enters a macro, function or include.
    fn enter(&mut self, span: Span) -> Result<(), Fail> {
        if self.depth >= MOST_DEPTH {
            let message = format!("macros, functions and includes are nested more than {MOST_DEPTH} deep");
            return Err(Box::new(Diagnostic::error("E0751", message).at(span).help("does one of them use itself?")));
        }
        self.depth += 1;
        Ok(())
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }
}
