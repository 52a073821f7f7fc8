//! The debugger's engine: it runs a program statement by statement and stops where it was asked to. Who shows the program to a
//! person, a command or an editor's protocol, is an [`Observer`]; it is called wherever the program stops, looks at it through a
//! [`View`] and says how it goes on.
//!
//! With a debugger the machine executes one instruction at a time; without one it pays nothing. Functions that built-in functions
//! call, kernels above all, run on threads of their own: these are levels here, and their items are told apart by serial numbers.

mod view;

use crate::code::{Code, Op, Reg};
use crate::cx::Cx;
use crate::fault::Fault;
pub use crate::stepper::Go;
use crate::stepper::Stepper;
use crate::tensor::Data;
use crate::thread::{Frame, Thread};
use crate::value::Value;
use quadra_base::stop::Reason;
use quadra_base::{Diagnostic, FileId, Span};
use quadra_quasar_syntax::ast::{FunctionKind, Text};
use std::collections::BTreeMap;
pub use view::View;

/// Why the program has stopped.
#[derive(Clone, Debug)]
pub enum Why {
    /// Before its first statement.
    Start,
    /// A step is done.
    Step,
    /// At the breakpoint with this number.
    Breakpoint(usize),
    /// The condition of the breakpoint with this number cannot be computed.
    Condition(usize, Diagnostic),
    /// In the item that was looked for.
    Item,
    /// The instruction before gave the first NaN.
    Nan,
    /// The program fails here.
    Error(Diagnostic),
    /// Somebody asked for it.
    Interrupted,
    /// The observer wanted to see the program.
    Asked,
}

/// Who shows the program to somebody.
pub trait Observer {
    /// Whether the program is to stop before its next statement, because somebody waits for an answer. Asked before every statement.
    fn wanted(&self) -> bool {
        false
    }

    /// The program has stopped.
    fn stopped(&mut self, why: &Why, view: &mut View<'_>) -> Go;
}

/// Where a function is.
#[derive(Clone, Debug)]
pub struct Place {
    /// The name of the function; `<program>` outside of all.
    pub function: Text,
    pub span: Span,
}

/// A line before which the program stops.
#[derive(Clone, Debug)]
pub struct Breakpoint {
    pub number: usize,
    pub file: FileId,
    pub line: u32,
    /// Stop only if this expression is true there.
    pub condition: Option<String>,
    /// How often the program stopped here.
    pub hits: u64,
}

/// What the program is to stop for, and what is known of its text.
#[derive(Default)]
pub struct Settings {
    pub breakpoints: Vec<Breakpoint>,
    /// The item that is looked for: variables of a kernel or loop and their values.
    pub item: Vec<(Text, Vec<f64>)>,
    /// Stop when an operation gives the first NaN.
    pub nan: bool,
    /// Stop at errors that the program catches, too.
    pub caught: bool,
    /// Variables that only the debugger knows.
    pub own: Vec<(Text, Value)>,
    /// The file of the program.
    pub main: Option<FileId>,
    /// Lines with statements and the column where the first one begins, by file.
    pub lines: BTreeMap<FileId, BTreeMap<u32, u32>>,
    /// Functions and where their first statements are.
    pub functions: Vec<(Text, Span)>,
    made: usize,
}

impl Settings {
    /// A new breakpoint at a line, or at the next one with a statement.
    ///
    /// # Errors
    /// The file is not part of the program, or has no statement there or behind.
    pub fn break_at(&mut self, file: FileId, line: u32, condition: Option<String>) -> Result<&Breakpoint, String> {
        let lines = self.lines.get(&file).ok_or_else(|| format!("'{}' has no statements", file.name()))?;
        let Some((line, _)) = lines.range(line..).next() else {
            let last = lines.keys().next_back().copied().unwrap_or(0);
            return Err(format!("'{}' has no statement from line {line} on; the last is in line {last}", file.name()));
        };
        self.made += 1;
        self.breakpoints.push(Breakpoint { number: self.made, file, line: *line, condition, hits: 0 });
        Ok(&self.breakpoints[self.breakpoints.len() - 1])
    }

    fn learn(&mut self, code: &Code) {
        for (_, span) in &code.statements {
            let column = self.lines.entry(span.file).or_default().entry(span.line).or_insert(span.column);
            *column = span.column.min(*column);
        }
        if let Some((_, span)) = code.statements.first()
            && !code.name.is_empty()
        {
            self.functions.push((code.name.clone(), *span));
        }
        code.functions.iter().for_each(|inner| self.learn(inner));
    }
}

/// What a step ends at.
#[derive(Clone, Copy)]
enum Plan {
    On,
    Into,
    /// A statement of the same thread with at most this many frames, or of a level further out.
    Above {
        level: usize,
        serial: u64,
        frames: usize,
    },
}

/// A debugger: what a run has in [`Cx::debug`].
pub struct Debugger {
    observer: Box<dyn Observer>,
    settings: Settings,
    plan: Plan,
    started: bool,
    serials: u64,
    /// Functions in progress, for each level that runs, outermost first.
    levels: Vec<Vec<Place>>,
    /// Files that steps do not stop in.
    foreign: fn(FileId) -> bool,
    /// The error that runs through the levels was shown.
    shown: bool,
}

impl Debugger {
    /// A debugger that stops before the first statement. Steps pass over the files that `foreign` says are somebody else's.
    pub fn new(observer: Box<dyn Observer>, foreign: fn(FileId) -> bool) -> Debugger {
        Debugger {
            observer,
            settings: Settings::default(),
            plan: Plan::Into,
            started: false,
            serials: 0,
            levels: Vec::new(),
            foreign,
            shown: false,
        }
    }

    /// What the program is to stop for.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Notes where the thread is, and numbers it.
    fn note(&mut self, thread: &mut Thread, span: Span) {
        if thread.serial == 0 {
            self.serials += 1;
            thread.serial = self.serials;
        }
        let Some(level) = self.levels.last_mut() else { return };
        if level.len() != thread.frames.len() {
            *level = thread.frames.iter().map(|f| Place { function: f.code.name.clone(), span: f.place() }).collect();
        }
        if let (Some(last), Some(frame)) = (level.last_mut(), thread.frames.last()) {
            *last = Place { function: frame.code.name.clone(), span };
        }
    }

    /// Whether the program stops before this statement, and why.
    fn why(&mut self, thread: &mut Thread, cx: &mut Cx, span: Span) -> Option<Why> {
        if !self.started {
            self.started = true;
            return Some(Why::Start);
        }
        if cx.stop.reason() == Some(Reason::Interrupt) {
            cx.stop.clear();
            return Some(Why::Interrupted);
        }
        if self.observer.wanted() {
            return Some(Why::Asked);
        }
        if !self.settings.item.is_empty() && is_item(&self.settings.item, thread) {
            self.settings.item.clear();
            return Some(Why::Item);
        }
        // Other items come by the breakpoints on the way.
        if self.settings.item.is_empty()
            && let Some(why) = self.breakpoint(thread, cx, span)
        {
            return Some(why);
        }
        self.step_is_done(thread, span).then_some(Why::Step)
    }

    fn step_is_done(&self, thread: &Thread, span: Span) -> bool {
        let level = self.levels.len();
        let done = match self.plan {
            Plan::On => false,
            Plan::Into => true,
            Plan::Above { level: of, serial, frames } => {
                level < of || level == of && thread.serial == serial && thread.frames.len() <= frames
            }
        };
        done && !(self.foreign)(span.file)
    }

    fn breakpoint(&mut self, thread: &mut Thread, cx: &mut Cx, span: Span) -> Option<Why> {
        let here = |b: &Breakpoint| b.file == span.file && b.line == span.line;
        if !self.settings.breakpoints.iter().any(here) {
            return None;
        }
        // Of several statements in a line the first one counts.
        if self.settings.lines.get(&span.file)?.get(&span.line) != Some(&span.column) {
            return None;
        }
        for at in 0..self.settings.breakpoints.len() {
            let Breakpoint { number, condition, .. } = self.settings.breakpoints[at].clone();
            if !here(&self.settings.breakpoints[at]) {
                continue;
            }
            let holds = match condition {
                None => Ok(true),
                Some(text) => View::new(&mut self.settings, thread, cx, &self.levels).holds(&text),
            };
            match holds {
                Ok(false) => {}
                Ok(true) => {
                    self.settings.breakpoints[at].hits += 1;
                    return Some(Why::Breakpoint(number));
                }
                Err(why) => return Some(Why::Condition(number, *why)),
            }
        }
        None
    }

    /// Shows the program and asks how it goes on.
    fn stop(&mut self, why: &Why, thread: &mut Thread, cx: &mut Cx) -> Go {
        cx.send();
        cx.watch.hide();
        let (level, serial, frames) = (self.levels.len(), thread.serial, thread.frames.len());
        let mut view = View::new(&mut self.settings, thread, cx, &self.levels);
        let go = self.observer.stopped(why, &mut view);
        self.plan = match go {
            Go::Along => self.plan,
            Go::On | Go::Free | Go::Quit => Plan::On,
            Go::Into => Plan::Into,
            Go::Over => Plan::Above { level, serial, frames },
            Go::Out => Plan::Above { level, serial, frames: frames.saturating_sub(1) },
        };
        go
    }
}

impl Stepper for Debugger {
    fn learn(&mut self, file: FileId, code: &Code) {
        self.settings.main = Some(file);
        self.settings.learn(code);
    }

    fn begins(&mut self) {
        self.levels.push(Vec::new());
    }

    fn ends(&mut self) {
        self.levels.pop();
    }

    fn looks_at_results(&self) -> bool {
        self.settings.nan
    }

    fn statement(&mut self, thread: &mut Thread, cx: &mut Cx, span: Span) -> Option<Go> {
        self.shown = false;
        self.note(thread, span);
        let mut why = self.why(thread, cx, span)?;
        loop {
            let go = self.stop(&why, thread, cx);
            why = match why {
                _ if go != Go::Along => return Some(go),
                Why::Asked => self.why(thread, cx, span)?,
                Why::Breakpoint(_) if self.step_is_done(thread, span) => Why::Step,
                _ => return Some(go),
            };
        }
    }

    fn result(&mut self, thread: &mut Thread, cx: &mut Cx, op: Op) -> Option<Go> {
        if !gave_nan(thread, op) {
            return None;
        }
        self.settings.nan = false;
        let place = thread.frames.last().map(Frame::place)?;
        self.note(thread, place);
        Some(self.stop(&Why::Nan, thread, cx))
    }

    fn failed(&mut self, thread: &mut Thread, cx: &mut Cx, fault: &Fault) -> Option<Go> {
        let stops = !self.shown && fault.exit.is_none() && (cx.catching == 0 || self.settings.caught);
        if !stops {
            return None;
        }
        self.shown = true;
        let place = thread.frames.last().map(Frame::place)?;
        let fault = Fault { span: fault.span.or(Some(place)), ..fault.clone() };
        self.note(thread, place);
        Some(self.stop(&Why::Error(fault.diagnostic()), thread, cx))
    }
}

/// Whether the innermost function is the item of a kernel, or in the iteration of a loop, whose variables have these values.
fn is_item(item: &[(Text, Vec<f64>)], thread: &Thread) -> bool {
    let Some(frame) = thread.frames.last() else { return false };
    item.iter().all(|(name, wanted)| {
        let Some((_, reg)) = frame.code.variables.iter().find(|v| v.0 == *name) else { return false };
        let value = &thread.stack[frame.base + *reg as usize];
        numbers(value).is_some_and(|v| v == *wanted) && counts(&frame.code, *reg)
    })
}

/// Whether a register tells the items of a kernel or the iterations of a loop apart.
fn counts(code: &Code, reg: Reg) -> bool {
    let parameter = code.kind == FunctionKind::Kernel && (reg as usize) < code.params.len();
    parameter || code.ops.iter().any(|op| matches!(op, Op::ForNext { var, .. } if *var == reg))
}

/// The numbers of a value that is real.
pub(crate) fn numbers(value: &Value) -> Option<Vec<f64>> {
    match value {
        Value::Array(t) if t.len() <= 16 => (0..t.len()).map(|i| t.get(i)?.as_f64()).collect(),
        other => other.as_f64().map(|x| vec![x]),
    }
}

/// Whether an instruction that computes something gave NaN.
fn gave_nan(thread: &Thread, op: Op) -> bool {
    let (first, n) = match op {
        Op::Binary { d, .. }
        | Op::Add { d, .. }
        | Op::Sub { d, .. }
        | Op::Mul { d, .. }
        | Op::AddConst { d, .. }
        | Op::SubConst { d, .. }
        | Op::MulConst { d, .. }
        | Op::Matrix { d, .. }
        | Op::Compound { d, .. }
        | Op::Neg { d, .. }
        | Op::Quotient { d, .. } => (d, 1),
        Op::Builtin { d, outs, .. } => (d, usize::from(outs.max(1))),
        _ => return false,
    };
    let Some(frame) = thread.frames.last() else { return false };
    let first = frame.base + first as usize;
    thread.stack.get(first..first + n).is_some_and(|regs| regs.iter().any(has_nan))
}

fn has_nan(value: &Value) -> bool {
    match value {
        Value::F32(x) | Value::F16(x) => x.is_nan(),
        Value::F64(x) => x.is_nan(),
        Value::C32(z) => z.iter().any(|x| x.is_nan()),
        Value::C64(z) => z.iter().any(|x| x.is_nan()),
        Value::Array(t) => match &*t.data.borrow() {
            Data::F32(v) | Data::F16(v) => v.iter().any(|x| x.is_nan()),
            Data::F64(v) => v.iter().any(|x| x.is_nan()),
            Data::C32(v) => v.iter().flatten().any(|x| x.is_nan()),
            Data::C64(v) => v.iter().flatten().any(|x| x.is_nan()),
            _ => false,
        },
        _ => false,
    }
}
