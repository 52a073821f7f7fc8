//! Recording: while a kernel's Rust function runs, its operations are written into a [`kir::Builder`].
//!
//! A kernel value is a small `Copy` handle of an SSA value, see [`Raw`]. There is one recording per thread at a time; a
//! handle says which recording it belongs to, and the recording knows which of its values are still in scope. So a value
//! that is used where it means nothing is found here, with a place, and never reaches the compiler.

use crate::codes;
use crate::exits::Control;
use quadra_base::{Diagnostic, FileId, Span};
use quadra_kir::{self as kir, Buf, Const, Op, Type, Value};
use std::cell::RefCell;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::atomic::{AtomicU32, Ordering};

/// Instructions after which a recording is stopped: the words of such a kernel would fill tens of megabytes.
const MAX_INSTRUCTIONS: usize = 1 << 20;

/// Iterations of one host loop after which a recording is stopped.
pub(crate) const MAX_ITERATIONS: u32 = 1 << 20;

/// The handle that every kernel value holds: an SSA value of one recording. It is `Copy` and never changes its meaning;
/// variables change by holding another handle, which is why Rust's own moves, copies and swaps are right for them. It is
/// neither `Send` nor `Sync`: handles belong to the thread that records, and types that cannot hold any are told by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raw {
    recording: u32,
    value: Value,
    thread: PhantomData<*const ()>,
}

/// Where a value was recorded: a block of the kernel under construction.
struct Region {
    parent: u32,
    open: bool,
    /// The region was dissolved into its parent.
    merged: bool,
}

/// What a kernel does with a buffer so far.
#[derive(Clone, Copy, Default)]
pub(crate) struct Uses {
    pub read: bool,
    pub written: bool,
}

/// A recording in progress.
pub(crate) struct Recorder {
    id: u32,
    pub name: &'static str,
    pub b: kir::Builder,
    /// Open control flow of the kernel, innermost last.
    pub control: Vec<Control>,
    regions: Vec<Region>,
    open_regions: Vec<u32>,
    /// By value: the region that defines it; constants and parameters belong to region 0.
    region_of: Vec<u32>,
    /// By value: whether it is known to be the same in all lanes.
    uniform: Vec<bool>,
    files: HashMap<(*const u8, usize), FileId>,
    pub uses: Vec<Uses>,
    /// By a table's elements, where its rows begin.
    pub tables: HashMap<Buf, Buf>,
    pub over: u8,
    /// The size of groups has been said.
    pub grouped: bool,
    pub read_stride: Option<Raw>,
    pub write_stride: Option<Raw>,
    /// Values that are above 0 in every launch: the number of workers, and small multiples of it.
    positive: Vec<Value>,
    /// The number of workers.
    workers: Vec<Value>,
    instructions: usize,
    pub next_target: u32,
    pub span: Option<Span>,
}

thread_local! {
    static CURRENT: RefCell<Option<Recorder>> = const { RefCell::new(None) };
}

/// What unwinds out of a recording that cannot go on.
struct Stopped(Box<Diagnostic>);

/// Stops the recording; [`record`] gives the diagnostic to its caller.
pub(crate) fn stop(diagnostic: Diagnostic) -> ! {
    std::panic::resume_unwind(Box::new(Stopped(Box::new(diagnostic))))
}

/// Runs `f` on the recording of this thread, with `at` as the place of what it records.
///
/// # Panics
/// If no recording runs: kernel values mean nothing then.
pub(crate) fn with<R>(at: &'static Location<'static>, f: impl FnOnce(&mut Recorder) -> R) -> R {
    let result = CURRENT.with(|current| {
        let mut current = current.borrow_mut();
        let recorder = current.as_mut()?;
        recorder.place(at);
        Some(f(recorder))
    });
    result.unwrap_or_else(|| {
        panic!(
            "{at}: a kernel value is made or used while no kernel is being recorded; Int, Float, Mask and Ptr exist only \
             inside a `#[kernel]` function and what it calls"
        )
    })
}

/// Runs `f` with a recording for the kernel called `name` and gives what was recorded.
///
/// # Errors
/// Everything that stopped the recording, each with its place.
pub(crate) fn record(
    name: &'static str,
    span: Option<Span>,
    f: impl FnOnce() -> Result<(), Diagnostic>,
) -> Result<kir::Kernel, Vec<Diagnostic>> {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    let busy = CURRENT.with(|c| c.borrow().as_ref().map(|r| r.name));
    if let Some(other) = busy {
        let text = format!("kernel `{name}` is recorded while `{other}` is being recorded");
        let help = "call a `#[kernel_fn]` function to share code between kernels";
        return Err(vec![Diagnostic::error(codes::NESTED, text).at(span).help(help)]);
    }
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    CURRENT.with(|c| *c.borrow_mut() = Some(Recorder::new(id, name, span)));
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(f));
    let recorder = CURRENT.with(|c| c.borrow_mut().take()).expect("the recording was put there above");
    match result {
        Ok(Ok(())) => recorder.finish(span).map_err(|d| vec![d]),
        Ok(Err(d)) => Err(vec![d]),
        Err(payload) => match payload.downcast::<Stopped>() {
            Ok(stopped) => {
                let mut d = *stopped.0;
                d.notes.push(format!("while the kernel `{name}` was recorded"));
                Err(vec![d])
            }
            Err(other) => std::panic::resume_unwind(other),
        },
    }
}

impl Recorder {
    fn new(id: u32, name: &'static str, span: Option<Span>) -> Recorder {
        Recorder {
            id,
            name,
            b: kir::Builder::new(name),
            control: Vec::new(),
            regions: vec![Region { parent: 0, open: true, merged: false }],
            open_regions: vec![0],
            region_of: Vec::new(),
            uniform: Vec::new(),
            files: HashMap::new(),
            uses: Vec::new(),
            tables: HashMap::new(),
            over: 0,
            grouped: false,
            read_stride: None,
            write_stride: None,
            positive: Vec::new(),
            workers: Vec::new(),
            instructions: 0,
            next_target: 0,
            span,
        }
    }

    fn place(&mut self, at: &'static Location<'static>) {
        let file = at.file();
        let id = *self.files.entry((file.as_ptr(), file.len())).or_insert_with(|| FileId::of_name(file));
        self.span = Some(Span::new(id, at.line(), at.column(), 1));
        self.b.set_span(self.span);
    }

    /// An error at the present place.
    pub fn error(&self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, message).at(self.span)
    }

    fn finish(mut self, span: Option<Span>) -> Result<kir::Kernel, Diagnostic> {
        if let Some(left) = self.control.first() {
            return Err(self.left_early(left));
        }
        let over = self.over;
        self.b.set_over(over);
        let mut kernel = self.b.finish();
        kernel.span = span;
        for (i, uses) in self.uses.iter().enumerate() {
            kernel.bufs[Buf::from_index(i)].access = match (uses.read, uses.written) {
                (_, false) => kir::Access::Read,
                (false, true) => kir::Access::Write,
                (true, true) => kir::Access::ReadWrite,
            };
        }
        Ok(kernel)
    }

    /// The handle of a value that was just made in the innermost open block.
    pub fn handle(&mut self, value: Value, uniform: bool) -> Raw {
        let at = value.index();
        if self.region_of.len() <= at {
            self.region_of.resize(at + 1, 0);
            self.uniform.resize(at + 1, false);
        }
        self.region_of[at] = *self.open_regions.last().expect("region 0 stays open");
        self.uniform[at] = uniform;
        self.raw(value)
    }

    fn raw(&self, value: Value) -> Raw {
        Raw { recording: self.id, value, thread: PhantomData }
    }

    /// The value behind a handle, if it may be used here.
    pub fn value(&mut self, raw: Raw) -> Value {
        if raw.recording != self.id {
            stop(self.error(codes::FOREIGN, "a kernel value of another recording is used").help(
                "kernel values live for one run of a `#[kernel]` function: do not keep them in statics or outside",
            ));
        }
        let mut region = self.region_of.get(raw.value.index()).copied().unwrap_or(0) as usize;
        while self.regions[region].merged {
            region = self.regions[region].parent as usize;
        }
        if !self.regions[region].open {
            stop(
                self.error(codes::SCOPE, "a value from inside kernel control flow is used after it")
                    .note("it was carried out of the `if` or loop on a way that the kernel cannot follow")
                    .help("assign a variable that is declared before the `if` or loop, by its own name"),
            );
        }
        raw.value
    }

    fn is_uniform(&self, value: Value) -> bool {
        self.uniform.get(value.index()).copied().unwrap_or(false)
    }

    /// Whether a handle's value is known to be the same in all lanes.
    pub fn known_uniform(&mut self, raw: Raw) -> bool {
        let value = self.value(raw);
        self.is_uniform(value)
    }

    /// A constant.
    pub fn constant(&mut self, c: Const) -> Raw {
        let value = self.b.constant(c);
        let at = value.index();
        if self.region_of.len() <= at {
            self.region_of.resize(at + 1, 0);
            self.uniform.resize(at + 1, false);
        }
        self.region_of[at] = 0;
        self.uniform[at] = true;
        self.raw(value)
    }

    /// Counts an instruction against the limit of a recording.
    pub fn count(&mut self) {
        self.instructions += 1;
        if self.instructions > MAX_INSTRUCTIONS {
            stop(
                self.error(codes::ENDLESS, format!("more than {MAX_INSTRUCTIONS} instructions were recorded"))
                    .help("a Rust loop in a kernel is unrolled while it is recorded; loop over `range(…)` instead"),
            );
        }
    }

    /// An operation whose result type follows from its operands.
    pub fn op(&mut self, op: Op, args: &[Raw]) -> Raw {
        self.count();
        let values: Vec<Value> = args.iter().map(|&a| self.value(a)).collect();
        let uniform = match op {
            Op::VoteAny | Op::VoteAll | Op::Broadcast => true,
            _ => op.is_pure() && op.info().rule != kir::Rule::LaneI32 && values.iter().all(|&v| self.is_uniform(v)),
        };
        let value = self.b.op(op, &values);
        if let (Op::Mul | Op::Shl, &[a, b]) = (op, values.as_slice()) {
            // At most 12 workers times 2^20: nothing wraps.
            let most = if op == Op::Mul { 1 << 20 } else { 20 };
            let small = |k: &kir::Kernel, v: Value| k.as_i32(v).is_some_and(|n| n > 0 && n <= most);
            let kernel = self.b.kernel();
            let factors = [(a, b), (b, a)].map(|(a, b)| self.workers.contains(&a) && small(kernel, b));
            if factors[0] || factors[1] && op == Op::Mul {
                self.positive.push(value);
            }
        }
        self.handle(value, uniform)
    }

    /// An operation along an axis.
    pub fn axis(&mut self, op: Op, axis: u32) -> Raw {
        self.count();
        let value = self.b.axis(op, axis);
        if op == Op::NumWorkers {
            self.positive.push(value);
            self.workers.push(value);
        }
        self.handle(value, op.info().rule == kir::Rule::UniformI32)
    }

    /// A fresh variable.
    pub fn var(&mut self, name: &str, ty: Type) -> kir::Var {
        self.b.var(name, ty)
    }

    /// The value of a variable here.
    pub fn get(&mut self, var: kir::Var) -> Raw {
        self.count();
        let value = self.b.get(var);
        self.handle(value, false)
    }

    /// Assigns a variable in the live lanes.
    pub fn set(&mut self, var: kir::Var, raw: Raw) {
        self.count();
        let value = self.value(raw);
        self.b.set(var, value);
    }

    /// The type of a handle's value.
    pub fn ty(&mut self, raw: Raw) -> Type {
        let value = self.value(raw);
        self.b.kernel().ty(value)
    }

    fn open_region(&mut self) {
        let parent = *self.open_regions.last().expect("region 0 stays open");
        self.regions.push(Region { parent, open: true, merged: false });
        self.open_regions.push(self.regions.len() as u32 - 1);
    }

    fn close_region(&mut self, merged: bool) {
        let id = self.open_regions.pop().expect("every close has its open") as usize;
        self.regions[id].open = false;
        self.regions[id].merged = merged;
    }

    /// Opens `if` on a condition.
    pub fn begin_if(&mut self, condition: Raw) {
        self.count();
        let value = self.value(condition);
        self.b.begin_if(value);
        self.open_region();
    }

    /// Goes from the first region of an `if` to its second.
    pub fn begin_else(&mut self) {
        self.b.begin_else();
        self.close_region(false);
        self.open_region();
    }

    /// Opens an endless loop.
    pub fn begin_loop(&mut self) {
        self.count();
        self.b.begin_loop();
        self.open_region();
    }

    /// Opens a counted loop and gives its induction variable.
    pub fn begin_for(&mut self, lo: Raw, hi: Raw, step: Raw) -> Raw {
        self.count();
        self.moves_on(step);
        let (lo, hi, step) = (self.value(lo), self.value(hi), self.value(step));
        let uniform = [lo, hi, step].iter().all(|&v| self.is_uniform(v));
        let iv = self.b.begin_for(lo, hi, step);
        self.open_region();
        self.handle(iv, uniform)
    }

    /// A loop whose step is 0 would never end.
    fn moves_on(&mut self, step: Raw) {
        const TEXT: &str = "the step of a loop is 0: it would never end";
        let value = self.value(step);
        if self.b.kernel().as_i32(value) == Some(0) {
            stop(self.error(codes::NUMBER, TEXT));
        }
        if !self.is_positive(value) {
            let zero = self.constant(Const::i32(0));
            let fine = self.op(Op::CmpNe, &[step, zero]);
            let fine = self.value(fine);
            self.b.say(Op::Assert, &[fine], TEXT);
        }
    }

    /// Whether a value is known to be above 0, for any launch.
    fn is_positive(&mut self, value: Value) -> bool {
        self.positive.contains(&value) || self.b.kernel().as_i32(value).is_some_and(|n| n > 0)
    }

    /// Closes the innermost `if` or loop.
    pub fn end(&mut self) {
        self.b.end();
        self.close_region(false);
    }

    /// Closes an `if` whose first region is open as if it had not been opened, where that makes no difference: all in it is
    /// computed in every lane anyway. Says whether it did.
    pub fn dissolve_pure_if(&mut self) -> bool {
        // A vote asks the lanes that are live where it stands.
        let anywhere = |i: &kir::Inst| i.op.is_pure() && i.op.info().rule != kir::Rule::Vote;
        let dissolved = self.b.dissolve_if(anywhere);
        if dissolved {
            self.close_region(true);
        }
        dissolved
    }

    /// Closes the innermost loop as if it had not been opened.
    pub fn dissolve(&mut self) {
        self.b.dissolve_loop();
        self.close_region(true);
    }
}

/// Whether a recording runs on this thread.
pub(crate) fn is_recording() -> bool {
    CURRENT.with(|c| c.borrow().is_some())
}

/// How many levels of kernel control flow are open.
pub(crate) fn depth() -> usize {
    CURRENT.with(|c| c.borrow().as_ref().map_or(0, |r| r.control.len()))
}
