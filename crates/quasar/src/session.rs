//! Running programs: what the command line and the tests call.

mod grown;

use crate::library;
pub use crate::load::{Program, parse};
pub use crate::options::Options;
use crate::predefine::predefine;
use quadra_base::quick::Map;
use quadra_base::stop::Stop;
use quadra_base::{Diagnostic, Severity, Span};
use quadra_device::Device;
use quadra_figure::Gallery;
use quadra_quasar_hir as hir;
use quadra_quasar_hir::certain::Shape;
use quadra_quasar_hir::declare::TypeTable;
use quadra_quasar_hir::infer::LoopVerdict;
use quadra_quasar_hir::meaning::Meaning;
use quadra_quasar_hir::scope::Names;
use quadra_quasar_hir::types::Type;
use quadra_quasar_lower::devices::Choice;
use quadra_quasar_lower::kernels::Kernels;
use quadra_quasar_syntax::ast::{Block, NodeId, Text};
use quadra_quasar_vm::arith::Mode;
use quadra_quasar_vm::builtins;
use quadra_quasar_vm::compile;
use quadra_quasar_vm::cx::Cx;
use quadra_quasar_vm::debug::{Debugger, Observer};
use quadra_quasar_vm::fault::Fault;
use quadra_quasar_vm::machine::Vm;
use quadra_quasar_vm::machine::run::run;
use quadra_quasar_vm::machine::undefined::undefined;
use quadra_quasar_vm::memory;
use quadra_quasar_vm::profile::Profile;
use quadra_quasar_vm::sandbox::Sandbox;
use quadra_quasar_vm::shared::Shared;
use quadra_quasar_vm::thread::{Frame, Thread};
use quadra_quasar_vm::value::{Callable, Closure, Value};
use quadra_quasar_vm::watch::{Report, Watch};
use std::cell::RefCell;
use std::io::Write;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// The status of a run that somebody ended, with Ctrl-C for example.
pub const INTERRUPTED: i32 = 130;

/// What became of a run.
#[derive(Debug)]
pub struct Outcome {
    /// 0: success, 1: run-time error, 2: compile error, [`INTERRUPTED`], or what `exit` asked for.
    pub status: i32,
    /// Errors, warnings and notes in the order they were found.
    pub diagnostics: Vec<Diagnostic>,
}

/// What is known of a program before it runs, for those who show it in an editor. The text may have errors: what was read of it is known.
pub struct Analysis {
    pub program: Program,
    pub diagnostics: Vec<Diagnostic>,
    pub verdicts: Vec<LoopVerdict>,
    pub facts: Facts,
}

/// Types and sizes that follow from a program's text.
#[derive(Default)]
pub struct Facts {
    pub types: TypeTable,
    /// Types of expressions and, by their loops, of loop variables.
    pub expressions: Map<NodeId, Type>,
    /// Sizes of the arrays in variables, where these stand; a size that the text does not say is missing.
    pub sizes: Map<NodeId, Shape>,
}

fn no_sandbox(options: &Options, why: &std::io::Error) -> Diagnostic {
    let directory = options.sandbox.as_deref().unwrap_or(Path::new("")).display();
    Diagnostic::error("Q0418", format!("the sandbox '{directory}' cannot be used: {why}")).help("name a directory")
}

/// A name that nothing defines may come from an import that was skipped.
fn perhaps_elsewhere(mut diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.severity = Severity::Warning;
    diagnostic.message.push_str(": it may come from an import that is skipped");
    diagnostic
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.severity == Severity::Error)
}

/// What a session keeps between inputs.
pub struct Session {
    options: Options,
    cx: Cx,
    modules: Vec<Text>,
    /// Functions defined so far, for the analyses of later inputs.
    functions: Vec<Rc<quadra_quasar_syntax::ast::Function>>,
    /// Global variables that grow with what is stored in them.
    grown: Vec<Text>,
    /// Why the device or the directory that was asked for cannot be used.
    refused: Vec<Diagnostic>,
}

impl Session {
    /// A session that writes the output of programs to `out`.
    pub fn new(options: Options, out: Box<dyn Write>) -> Session {
        let kernels = Kernels::of_options(&Choice {
            device: &options.device,
            qpus: options.qpus,
            sfu: options.sfu,
            profile: options.profile,
            races: options.check_races,
        });
        Session::with(kernels, options, out)
    }

    /// A session whose kernels and parallel loops run on this device instead of the options' one, if it takes them.
    pub fn on(device: Arc<dyn Device>, options: Options, out: Box<dyn Write>) -> Session {
        let kernels = Kernels::new(vec![device], options.check_races);
        Session::with(Ok(Some(kernels)), options, out)
    }

    fn with(kernels: Result<Option<Kernels>, Diagnostic>, options: Options, out: Box<dyn Write>) -> Session {
        builtins::ship(crate::library::names());
        memory::set_limit(options.max_memory);
        let lowers = !matches!(kernels, Ok(None));
        let shared = Shared { double: options.double, lowers, ..Shared::default() };
        let mode = Mode { double: options.double, device: false, inttypes: false };
        let mut cx = Cx::new(out, shared, mode, options.fuel, &Vm);
        cx.terminal = options.terminal;
        cx.survives = !options.once;
        cx.time_limit = options.time_limit;
        let mut refused = Vec::new();
        cx.sandbox = Sandbox::new(options.sandbox.as_deref()).unwrap_or_else(|why| {
            refused.push(no_sandbox(&options, &why));
            Sandbox::empty()
        });
        cx.clock = options.clock.clone();
        cx.profile = options.profile.then(Box::default);
        match kernels {
            Ok(kernels) => cx.executor = kernels.map(|k| Box::new(k) as _),
            Err(why) => refused.push(why),
        }
        Session { options, cx, modules: Vec::new(), functions: Vec::new(), grown: Vec::new(), refused }
    }

    /// What the kernels and loops of the programs so far cost, if that was asked for.
    pub fn profile(&self) -> Option<&Profile> {
        self.cx.profile.as_deref()
    }

    /// Expressions over long arrays that were computed in one pass, and the operations in them.
    pub fn fused(&self) -> (u64, u64) {
        self.cx.fused
    }

    /// Has the progress of later runs reported.
    pub fn watch(&mut self, report: Report) {
        self.cx.set_watch(Watch::new(report));
    }

    /// Has later runs stop where the observer asks them to, before their first statements at the latest.
    pub fn set_debugger(&mut self, observer: Box<dyn Observer>) {
        self.cx.debug = Some(Box::new(Debugger::new(observer, library::holds)));
    }

    /// Has somebody take the pictures of later runs instead of the current directory.
    pub fn set_gallery(&mut self, gallery: Box<dyn Gallery>) {
        self.cx.gallery = Some(gallery);
    }

    /// Names of the functions that programs defined in this session.
    pub fn functions(&self) -> impl Iterator<Item = &Text> {
        self.cx.shared.functions.keys()
    }

    /// What a name stands for: the value of a global variable, or a function.
    pub fn value(&self, name: &str) -> Option<Value> {
        let variable = self.cx.globals.iter().find(|g| *g.0 == *name).map(|g| g.1.clone());
        variable.or_else(|| builtins::lookup(&self.cx, name))
    }

    /// Makes a value that of a global variable, for the programs that run next.
    pub fn set(&mut self, name: &str, value: Value) {
        match self.cx.globals.iter_mut().find(|g| *g.0 == *name) {
            Some(variable) => variable.1 = value,
            None => self.cx.globals.push((name.into(), value)),
        }
    }

    /// Whether a call of what this name stands for has a value.
    pub fn gives_value(&self, name: &str) -> bool {
        match self.value(name) {
            Some(Value::Function(f)) => f.gives_value(),
            _ => true,
        }
    }

    /// Calls a function that this session knows and gives `outs` of its values, with what it had to say: for programs that keep
    /// their data in Rust.
    ///
    /// # Errors
    /// An unknown name, and the error that ended the call.
    pub fn call(
        &mut self,
        name: &str,
        args: Vec<Value>,
        outs: usize,
    ) -> Result<(Vec<Value>, Vec<Diagnostic>), Diagnostic> {
        let Some(callee) = self.value(name) else {
            return Err(Diagnostic::error("Q0302", format!("'{name}' is not defined"))
                .help("run the program that defines it in this session first"));
        };
        self.begin();
        let (entered, timer) = (self.cx.stop.enter(), self.options.run_limit.map(|limit| self.cx.stop.after(limit)));
        let result = self.cx.call(&callee, args, outs);
        quadra_quasar_vm::series::finish(&mut self.cx);
        self.cx.profile.iter_mut().for_each(|p| p.end());
        drop((entered, timer));
        self.cx.watch.hide();
        let said = std::mem::take(&mut self.cx.diagnostics);
        result.map(|values| (values, said)).map_err(|fault| fault.diagnostic())
    }

    /// Global variables and their values.
    pub fn globals(&self) -> &[(Text, Value)] {
        &self.cx.globals
    }

    /// Writes a line where programs write.
    pub fn print(&mut self, line: &str) {
        // What cannot be written is told when the session is finished.
        let written = writeln!(self.cx.out, "{line}");
        self.cx.unsent = self.cx.unsent.take().or(written.err());
        self.cx.send();
    }

    /// Forgets global variables: those of these names, or all if there are none.
    pub fn clear(&mut self, names: &[&str]) {
        self.cx.globals.retain(|(name, _)| !(names.is_empty() || names.contains(&&**name)));
    }

    /// Global functions that programs defined, with their parameters.
    pub fn signatures(&self) -> Vec<String> {
        let of = |(name, id): (&Text, &usize)| {
            let defined = self.cx.functions.get(*id)?;
            let parameters = |c: &Rc<Callable>| match &**c {
                Callable::Closure(c) => c.code.params.iter().map(|p| p.name.to_string()).collect::<Vec<_>>().join(", "),
                _ => String::new(),
            };
            let all: Vec<String> = defined.iter().map(|c| format!("{name}({})", parameters(c))).collect();
            (!all.is_empty()).then_some(all)
        };
        let mut found: Vec<String> = self.cx.shared.functions.iter().filter_map(of).flatten().collect();
        found.sort();
        found
    }

    /// Whether `scalar` is double precision.
    pub fn double(&self) -> bool {
        self.options.double
    }

    /// Compiles a program without running it. Diagnostics include the loop analysis, and names that nothing defines, which a
    /// run would only meet where it comes by.
    pub fn check(&mut self, name: &str, text: &str) -> (Vec<Diagnostic>, Vec<LoopVerdict>) {
        let program = self.parse(name, text);
        self.check_program(program, None)
    }

    fn check_program(&mut self, program: Program, facts: Option<&mut Facts>) -> (Vec<Diagnostic>, Vec<LoopVerdict>) {
        let skipped = !program.skipped.is_empty();
        // A text that the program evaluates may define anything. What a file of the library evaluates defines something there alone.
        let own: Vec<_> = program.module.body.iter().filter(|s| !library::holds(s.span.file)).cloned().collect();
        let evaluates = builtins::library().any_means(&Names::of_block(&own).mentioned, &[Meaning::Evaluate]);
        let (_, mut diagnostics, verdicts) = self.compile(program, true, facts);
        let unknown = std::mem::take(&mut self.cx.shared.unknown);
        if !evaluates {
            let missing = unknown.iter().map(|(name, span)| undefined(name, &self.cx).at(*span).diagnostic());
            diagnostics.extend(missing.map(|d| if skipped { perhaps_elsewhere(d) } else { d }));
        }
        (diagnostics, verdicts)
    }

    /// Everything that [`check`](Self::check) finds, and the types and sizes behind it. What a text with errors means is found out as far
    /// as it was read.
    pub fn analyse(&mut self, name: &str, text: &str) -> Analysis {
        let program = self.parse(name, text);
        let mut facts = Facts::default();
        let (diagnostics, verdicts) = self.check_program(program.clone(), Some(&mut facts));
        Analysis { program, diagnostics, verdicts, facts }
    }

    pub(crate) fn parse(&self, name: &str, text: &str) -> Program {
        let types = &self.cx.shared.types;
        let typed = |name: &str| types.classes.contains_key(name) || types.aliases.contains_key(name);
        parse(name, text, &self.options, &|name| self.cx.shared.functions.contains_key(name) || typed(name))
    }

    /// Runs a program text in this session; variables and functions stay for the next one.
    pub fn run(&mut self, name: &str, text: &str) -> Outcome {
        let program = self.parse(name, text);
        let (code, mut diagnostics, _) = self.compile(program, false, None);
        diagnostics.extend(self.refused.iter().cloned());
        if !self.options.verbose {
            diagnostics.retain(|d| d.code != "Q0510");
        }
        if has_errors(&diagnostics) {
            return Outcome { status: 2, diagnostics };
        }
        self.begin();
        let (entered, timer) = (self.cx.stop.enter(), self.options.run_limit.map(|limit| self.cx.stop.after(limit)));
        let result = code.map_or(Ok(()), |code| self.execute(code));
        quadra_quasar_vm::series::finish(&mut self.cx);
        self.cx.profile.iter_mut().for_each(|p| p.end());
        drop((entered, timer));
        self.cx.watch.hide();
        diagnostics.append(&mut self.cx.diagnostics);
        if !self.options.verbose {
            let watched = self.options.terminal;
            diagnostics.retain(|d| !matches!(d.code, "Q0520" | "Q0522") && (watched || d.code != "Q0528"));
        }
        let mut status = match result {
            Ok(()) => 0,
            Err(fault) => match fault.exit {
                Some(code) => code,
                None => {
                    diagnostics.push(fault.diagnostic());
                    if fault.code == "Q0317" { INTERRUPTED } else { 1 }
                }
            },
        };
        if status != 0 {
            diagnostics.extend(self.finish());
        }
        if let Err(e) = self.cx.sent() {
            diagnostics.push(Diagnostic::error("Q0412", format!("cannot write the output: {e}")));
            status = if status == 0 { 1 } else { status };
        }
        Outcome { status, diagnostics }
    }

    /// Begins a run: what was asked for before is over.
    fn begin(&mut self) {
        self.cx.stop.clear();
        quadra_base::memory::forget_exhausted();
        self.cx.watch.start();
    }

    /// What has this session end what it runs: for a signal's handler, or another thread.
    pub fn stop(&self) -> Stop {
        self.cx.stop.clone()
    }

    /// Puts what programs wrote to files that they have not closed in its place.
    pub fn finish(&mut self) -> Vec<Diagnostic> {
        self.cx.files.settle_all().iter().map(|fault| fault.diagnostic()).collect()
    }

    fn compile(
        &mut self,
        program: Program,
        checks: bool,
        facts: Option<&mut Facts>,
    ) -> (Option<Rc<quadra_quasar_vm::code::Code>>, Vec<Diagnostic>, Vec<LoopVerdict>) {
        let Program { file, mut module, mut diagnostics, modules, mut next_id, .. } = program;
        if !has_errors(&diagnostics) {
            hir::widen::rewrite(&mut module.body, builtins::library(), &|n| self.knows(n), &mut diagnostics);
            self.make_room(&mut module.body, &mut next_id, &mut diagnostics);
        }
        self.cx.next_id = self.cx.next_id.max(next_id);
        self.cx.shared.unknown.clear();
        self.modules.extend(modules);
        self.cx.mode.inttypes |= self.modules.iter().any(|m| &**m == "inttypes.q");
        let broken = has_errors(&diagnostics);
        if broken && facts.is_none() {
            return (None, diagnostics, Vec::new());
        }
        let read = diagnostics.len();
        let block: Block = module.body;
        hir::declare::collect(&block, &mut self.cx.shared.types, &mut diagnostics);
        if checks {
            diagnostics.extend(hir::unused::program(&block, builtins::library(), &|n| self.knows(n)));
        }
        let globals: Vec<Text> = self.cx.globals.iter().map(|g| g.0.clone()).collect();
        let span = Span::new(file, 1, 1, 1);
        let inttypes = self.cx.mode.inttypes;
        let (types, known, asked) = (&self.cx.shared.types, &self.functions[..], facts.is_some());
        let found = hir::infer::program(types, builtins::library(), inttypes, &block, known, asked);
        let mut sizes = Map::default();
        if checks {
            let (wrong, found) =
                hir::certain::program(types, builtins::library(), &block, known, &found.safe_loops, asked);
            diagnostics.extend(wrong);
            sizes = found;
        }
        let mut verdicts = found.verdicts;
        verdicts.retain(|v: &LoopVerdict| !library::holds(v.span.file));
        if let Some(facts) = facts {
            *facts = Facts { types: types.clone(), expressions: found.expressions.unwrap_or_default(), sizes };
        }
        if broken {
            diagnostics.truncate(read);
            return (None, diagnostics, verdicts);
        }
        let mut defined = Default::default();
        hir::infer::gather(&block, &mut defined);
        self.functions.extend(defined.into_values());
        diagnostics.extend(found.diagnostics);
        self.cx.shared.safe_loops.extend(found.safe_loops);
        self.cx.shared.plans.extend(found.plans);
        self.cx.shared.reserve.extend(found.reserve);
        let code = compile::program(&mut self.cx.shared, &block, &globals, span, Some(&self.options.arguments));
        diagnostics.append(&mut self.cx.shared.diagnostics);
        // Nobody who runs a program can follow advice on the library.
        diagnostics.retain(|d| d.severity == Severity::Error || !d.span.is_some_and(|s| library::holds(s.file)));
        (Some(code), diagnostics, verdicts)
    }

    fn execute(&mut self, code: Rc<quadra_quasar_vm::code::Code>) -> Result<(), Box<Fault>> {
        self.cx.catching = 0;
        predefine(&code, &mut self.cx);
        if let Some(debugger) = &mut self.cx.debug {
            debugger.learn(code.span.file, &code);
        }
        let mut thread = Thread::default();
        thread.stack.resize(code.registers as usize, Value::Unset);
        for (name, value) in &self.cx.globals {
            if let Some((_, reg)) = code.variables.iter().find(|v| v.0 == *name) {
                thread.stack[*reg as usize] = value.clone();
            }
        }
        let variables = code.variables.clone();
        let callable = Rc::new(Callable::Closure(Closure { code: code.clone(), captures: Vec::new() }));
        thread.frames.push(Frame { code, callable, pc: 0, base: 0, to: 0, outs: 0 });
        self.cx.globals = Vec::new();
        let result = run(&mut thread, &mut self.cx);
        // A program that ends takes its frame down with it; one that fails leaves the values in place.
        let values = std::mem::take(&mut self.cx.globals);
        self.cx.globals = match result {
            Ok(_) => values,
            Err(_) => variables
                .iter()
                .map(|(n, r)| (n.clone(), thread.stack.get(*r as usize).cloned().unwrap_or_default()))
                .filter(|(_, v)| !matches!(v, Value::Unset))
                .collect(),
        };
        result.map(|_| ())
    }
}

/// A writer into memory that the caller keeps a handle of.
#[derive(Clone, Default)]
pub struct Buffer(Rc<RefCell<Vec<u8>>>);

impl Buffer {
    /// What was written so far.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.borrow()).into_owned()
    }
}

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Runs a program text and returns its output and outcome.
///
/// ```
/// use quadra_quasar::session::{Options, run_text};
/// let (output, outcome) = run_text("example.q", "print 1+2", &Options::default());
/// assert_eq!(output, "3\n");
/// assert_eq!(outcome.status, 0);
/// ```
pub fn run_text(name: &str, text: &str, options: &Options) -> (String, Outcome) {
    let buffer = Buffer::default();
    let mut session = Session::new(options.clone(), Box::new(buffer.clone()));
    let outcome = session.run(name, text);
    (buffer.text(), outcome)
}

/// Runs `work` on a thread with a stack for deep structures.
pub fn with_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    const STACK: usize = 256 << 20;
    std::thread::Builder::new().stack_size(STACK).spawn(work).ok()?.join().ok()
}
