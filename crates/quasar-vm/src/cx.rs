//! What a running program has besides its values: output, diagnostics, global functions, budgets, random numbers.

use super::arith::Mode;
use super::clock::{Clock, Moment};
use super::executor::{Current, Executor, Launch};
use super::fault::{Fault, Res};
use super::open_files::Files;
use super::random::Random;
use super::shared::Shared;
use super::stepper::Stepper;
use super::value::{Callable, Value};
use quadra_base::stop::{Reason, Stop};
use quadra_base::{Diagnostic, Span};
use quadra_quasar_syntax::ast::{NodeId, Text};
use std::collections::HashSet;
use std::io::{Read, Write};
use std::rc::Rc;

/// Steps between two looks at who wants an end, at memory and at a watcher: some 100 µs of a tight loop.
const CHUNK: u64 = 1 << 12;
/// Instructions that a session may spend on finding NaN and infinity in launches on the QPU.
const WATCHED: u64 = 1 << 25;

/// What runs program code: built-in functions that are given functions, kernels or text ask it.
pub trait Machine {
    /// Calls a function of the program or of the library.
    fn call(&self, cx: &mut Cx, callee: &Value, args: Vec<Value>, outs: usize) -> Res<Vec<Value>>;

    /// Runs a kernel to its end and gives its outputs.
    fn launch(&self, cx: &mut Cx, launch: Launch) -> Res<Vec<Value>>;

    /// The value of an expression given as text, which sees the global variables; `name` is the function that asks.
    fn evaluate(&self, cx: &mut Cx, name: &'static str, text: &str) -> Res<Value>;
}

/// The state of a run.
pub struct Cx {
    /// What runs program code.
    pub machine: &'static dyn Machine,
    pub out: Box<dyn Write>,
    /// Why text could not be sent when nobody could be told.
    pub unsent: Option<std::io::Error>,
    pub mode: Mode,
    /// Names, types and function numbers, for `eval` and `type(x, "T")`.
    pub shared: Shared,
    pub next_id: NodeId,
    /// Global functions by number; several for overloads.
    pub functions: Vec<Vec<Rc<Callable>>>,
    /// Warnings and notes, each once per line.
    pub diagnostics: Vec<Diagnostic>,
    warned: HashSet<(&'static str, Span)>,
    /// Steps (calls and backward jumps) that are left before `reserve` is asked.
    fuel: u64,
    /// Whether somebody wants an end.
    pub stop: Stop,
    /// How long a launch may take.
    pub time_limit: Option<std::time::Duration>,
    /// Further steps that are left. Kept apart so that the run is looked at now and then without costing a test per step.
    reserve: u64,
    /// Who is told of progress.
    pub watch: super::watch::Watch,
    /// How many native calls of program code are on the machine's stack.
    pub nesting: u32,
    /// Global variables and their values, as far as `eval` may see them.
    pub globals: Vec<(Text, Value)>,
    /// Registers of the global variables in the frame at the bottom of the main stack.
    pub random: Random,
    pub clock: Clock,
    /// When `tic` was called last.
    pub timer: Option<Moment>,
    pub launch: Option<Current>,
    /// What is drawn.
    pub figures: quadra_figure::Figures,
    /// Who takes pictures that the program gives no name.
    pub gallery: Option<Box<dyn quadra_figure::Gallery>>,
    /// Who looks at every statement, if somebody does.
    pub debug: Option<Box<dyn Stepper>>,
    /// Files that the program has open.
    pub files: Files,
    /// Files that it may reach.
    pub sandbox: super::sandbox::Sandbox,
    /// Whether a person watches the output.
    pub terminal: bool,
    /// What kernels cost, if that is asked for.
    pub profile: Option<Box<super::profile::Profile>>,
    /// Expressions over long arrays that were computed in one pass, and their operations.
    pub fused: (u64, u64),
    /// Handlers that would catch an error that is raised now.
    pub catching: usize,
    /// Whether somebody may look at variables after an error that ends the program.
    pub survives: bool,
    /// Instructions that may still be spent on finding NaN and infinity in launches on the QPU.
    pub watches_finite: u64,
    /// Devices that kernels and parallel loops run on instead of the host executor.
    pub executor: Option<Box<dyn Executor>>,
    /// Launches that wait for others to run with.
    pub launches: Rc<super::series::Launches>,
    /// Functions of a loop-free call chain that are active, for the message of a fault.
    pub file_dir: std::path::PathBuf,
}

impl Cx {
    pub fn new(out: Box<dyn Write>, shared: Shared, mode: Mode, fuel: u64, machine: &'static dyn Machine) -> Cx {
        Cx {
            machine,
            out,
            unsent: None,
            mode,
            shared,
            next_id: 1 << 24,
            functions: Vec::new(),
            diagnostics: Vec::new(),
            warned: HashSet::new(),
            fuel: 0,
            stop: Stop::new(),
            time_limit: None,
            reserve: fuel,
            watch: super::watch::Watch::default(),
            nesting: 0,
            globals: Vec::new(),
            random: Random::new(1),
            clock: Clock::Real,
            timer: None,
            launch: None,
            figures: quadra_figure::Figures::default(),
            gallery: None,
            debug: None,
            files: Files::default(),
            sandbox: super::sandbox::Sandbox::default(),
            terminal: false,
            profile: None,
            fused: (0, 0),
            catching: 0,
            survives: true,
            watches_finite: WATCHED,
            executor: None,
            launches: quadra_device::Queue::new(&quadra_device::cpu::CAPS.costs),
            file_dir: std::path::PathBuf::new(),
        }
    }

    /// Calls a function from native code.
    ///
    /// # Errors
    /// The function fails, or there are too many such calls within each other.
    pub fn call(&mut self, callee: &Value, args: Vec<Value>, outs: usize) -> Res<Vec<Value>> {
        self.machine.call(self, callee, args, outs)
    }

    /// Counts a step.
    #[inline]
    pub fn step(&mut self) -> Res<()> {
        self.step_in(&[])
    }

    /// Counts a step in a frame with these registers, which hold the states of its loops.
    #[inline]
    pub fn step_in(&mut self, regs: &[Value]) -> Res<()> {
        match self.fuel.checked_sub(1) {
            Some(left) => {
                self.fuel = left;
                Ok(())
            }
            None => self.refill(regs),
        }
    }

    #[cold]
    fn refill(&mut self, regs: &[Value]) -> Res<()> {
        if self.reserve == 0 {
            return Err(Fault::new("Q0301", "the program took more steps than allowed")
                .help("look for an endless loop, or raise the limit")
                .fatal());
        }
        self.look()?;
        self.watch.loops(regs);
        self.fuel = self.reserve.min(CHUNK);
        self.reserve -= self.fuel;
        // The step that ran out counts, too.
        self.fuel -= 1;
        Ok(())
    }

    /// Looks whether the program is to end, and whether it holds more than it may: before what may take long.
    #[inline]
    pub fn look(&self) -> Res<()> {
        match self.stop.reason() {
            None if !quadra_base::memory::exhausted() && super::memory::within(0) => Ok(()),
            reason => self.ended(reason),
        }
    }

    /// The same but for the limit on memory, for what is done often.
    #[inline]
    pub fn glance(&self) -> Res<()> {
        match self.stop.reason() {
            None if !quadra_base::memory::exhausted() => Ok(()),
            reason => self.ended(reason),
        }
    }

    #[cold]
    fn ended(&self, reason: Option<Reason>) -> Res<()> {
        if quadra_base::memory::exhausted() && reason.is_none() {
            return Err(self.stopped(Reason::Memory));
        }
        match reason {
            Some(reason) => Err(self.stopped(reason)),
            None => super::memory::demand(0, "the program holds more than it may"),
        }
    }

    /// The fault of a program that somebody wants to end.
    pub fn stopped(&self, reason: Reason) -> Box<Fault> {
        match reason {
            Reason::Interrupt => Fault::new("Q0317", "interrupted").fatal(),
            Reason::Time => Fault::new("Q0318", "the program took longer than its time limit")
                .help("look for an endless loop, or raise the limit with --time-limit")
                .fatal(),
            Reason::Memory => {
                Fault::new("Q0310", "out of memory: the machine has no more").help("use smaller arrays").fatal()
            }
        }
    }

    /// Steps that are left.
    pub fn budget(&self) -> u64 {
        self.fuel.saturating_add(self.reserve)
    }

    /// Takes steps from the budget, at most all.
    pub fn spend(&mut self, steps: u64) {
        self.reserve = self.budget().saturating_sub(steps);
        self.fuel = 0;
    }

    /// Sets who is told of progress.
    pub fn set_watch(&mut self, watch: super::watch::Watch) {
        self.watch = watch;
    }

    /// Sends what was printed, before something that may take long.
    pub fn send(&mut self) {
        if let Err(e) = self.out.flush() {
            self.unsent = Some(e);
        }
    }

    /// The same, with the error of this time or the last.
    ///
    /// # Errors
    /// The output is closed or full.
    pub fn sent(&mut self) -> std::io::Result<()> {
        self.unsent.take().map_or_else(|| self.out.flush(), Err)
    }

    /// Reports a warning, once per code and line.
    pub fn warn(&mut self, diagnostic: Diagnostic) {
        if let Some(span) = diagnostic.span {
            let line = Span { column: 1, len: 1, ..span };
            if !self.warned.insert((diagnostic.code, line)) {
                return;
            }
        }
        self.diagnostics.push(diagnostic);
    }

    /// The warning that a float became an integer.
    pub fn warn_int(&mut self, span: Span, name: &str) {
        let message = format!("type conversion: a scalar value is converted to int in '{name}'");
        self.warn(
            Diagnostic::warning("Q0360", message)
                .at(span)
                .help("start the variable with a decimal point (0.0) to keep fractions, or write int(…)"),
        );
    }

    /// The path of a file that the program reads. What it has written there so far can be read.
    ///
    /// # Errors
    /// The file lies outside the sandbox.
    pub fn readable(&mut self, name: &str, who: &str) -> Res<std::path::PathBuf> {
        let path = self.sandbox.reach(name, who)?;
        self.files.settle(&path);
        Ok(path)
    }

    /// The bytes of a file that the program reads.
    ///
    /// # Errors
    /// The file lies outside the sandbox, or is larger than memory; `failed` makes the error of one that cannot be read.
    pub fn read_file(&mut self, name: &str, who: &str, failed: impl Fn(std::io::Error) -> Box<Fault>) -> Res<Vec<u8>> {
        let mut file = std::fs::File::open(self.readable(name, who)?).map_err(&failed)?;
        let size = file.metadata().map_or(0, |m| m.len());
        super::memory::elements(usize::try_from(size).unwrap_or(usize::MAX), 1, "a file")?;
        let mut bytes = Vec::new();
        // What is no plain file does not say how much it holds.
        const PIECE: u64 = 16 << 20;
        loop {
            super::memory::demand(bytes.len(), "a file")?;
            let piece = PIECE.max(bytes.len() as u64);
            if (&mut file).take(piece).read_to_end(&mut bytes).map_err(&failed)? < piece as usize {
                return Ok(bytes);
            }
            self.look()?;
        }
    }

    /// Writes a whole file by name.
    ///
    /// # Errors
    /// The file lies outside the sandbox; `failed` makes the error of one that cannot be written.
    pub fn write_file(
        &mut self,
        name: &str,
        who: &str,
        bytes: &[u8],
        failed: impl Fn(std::io::Error) -> Box<Fault>,
    ) -> Res<()> {
        let path = self.sandbox.reach(name, who)?;
        if name.starts_with("/dev/") || name.starts_with("/proc/") {
            // Perhaps the output, on which what was printed before stands first.
            self.out.flush().map_err(&failed)?;
        }
        quadra_base::file::write(path, bytes).map_err(failed)
    }

    /// A global function by number.
    pub fn function(&self, id: usize) -> Option<Value> {
        let list = self.functions.get(id)?;
        Some(match &list[..] {
            [] => return None,
            [one] => Value::Function(one.clone()),
            many => Value::Function(Rc::new(Callable::Overloads(many.to_vec()))),
        })
    }

    /// Defines a global function: replaces one with the same parameter types, or adds an overload.
    pub fn define(&mut self, name: &Text, callable: Rc<Callable>) {
        let id = match self.shared.functions.get(name) {
            Some(id) => *id,
            None => {
                let id = self.shared.functions.len();
                self.shared.functions.insert(name.clone(), id);
                id
            }
        };
        if self.functions.len() <= id {
            self.functions.resize_with(id + 1, Vec::new);
        }
        let list = &mut self.functions[id];
        match list.iter_mut().find(|f| same_signature(f, &callable)) {
            Some(old) => *old = callable,
            None => list.push(callable),
        }
    }
}

fn same_signature(a: &Callable, b: &Callable) -> bool {
    let (Callable::Closure(a), Callable::Closure(b)) = (a, b) else { return false };
    a.code.params.len() == b.code.params.len()
        && a.code.params.iter().zip(&b.code.params).all(|(x, y)| match (&x.ty, &y.ty) {
            (Some(x), Some(y)) => x.same(y),
            (None, None) => true,
            _ => false,
        })
}
