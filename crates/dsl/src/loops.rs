//! Loops: in Rust, in the kernel, or either, as their conditions, ranges and exits say.

use crate::exits::{Control, Exit};
use crate::flow::{Cond, Condition};
use crate::record::{self, Raw};
use crate::state::{self, List};
use std::marker::PhantomData;
use std::panic::Location;

type At = &'static Location<'static>;

/// How a loop runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// In Rust, unrolled into the recording.
    Host,
    /// In the kernel.
    Kernel,
    /// A `loop`: in the kernel if it is left or continued under kernel control flow, else in Rust.
    Open,
}

/// Any loop: where its exits lead, and how its variables come round and out.
pub struct Frame {
    at: At,
    mode: Mode,
    /// Whether a host loop may be left (first) or continued (second) under kernel control flow.
    wrap: [bool; 2],
    /// Host loops: the block around the loop. Others: the loop itself.
    outer: Option<u32>,
    /// Host loops: the block around the body.
    inner: Option<u32>,
    /// Open control flow just inside of these.
    depth: usize,
    iterations: u32,
}

impl Frame {
    fn new(at: At, mode: Mode, wrap: [bool; 2]) -> Frame {
        Frame { at, mode, wrap, outer: None, inner: None, depth: 0, iterations: 0 }
    }

    /// Opens what the loop needs in the kernel before its first iteration.
    fn open(&mut self, bounds: Option<[Raw; 3]>, list: List<'_>) -> Option<Raw> {
        match self.mode {
            Mode::Host if self.wrap[0] && record::is_recording() => {
                let before = state::read(list);
                self.outer = Some(record::with(self.at, |r| r.open_block(before)));
            }
            Mode::Host => {}
            _ => {
                let before = state::read(&mut *list);
                let (id, top, iv) = record::with(self.at, |r| r.open_loop(before, bounds));
                self.outer = Some(id);
                state::write(list, &top);
                self.depth = record::depth();
                return iv;
            }
        }
        self.depth = record::depth();
        None
    }

    /// At the start of an iteration of a host loop.
    fn open_body(&mut self, list: List<'_>) {
        self.iterations += 1;
        if self.iterations > record::MAX_ITERATIONS {
            let at = quadra_base::Span::of_caller(self.at);
            let text = format!("a Rust loop in a kernel ran more than {} times", record::MAX_ITERATIONS);
            let d = quadra_base::Diagnostic::error(crate::codes::ENDLESS, text).at(at);
            record::stop(
                d.help("a loop on Rust values runs while the kernel is recorded; loop over `range(…)` instead"),
            );
        }
        if self.wrap[1] && record::is_recording() {
            let before = state::read(list);
            self.inner = Some(record::with(self.at, |r| r.open_block(before)));
        }
        self.depth = record::depth();
    }

    fn close_body(&mut self, list: List<'_>) {
        if let Some(id) = self.inner.take() {
            let items = state::read(&mut *list);
            if let Some((after, _)) = record::with(self.at, |r| r.close_block(id, items, None)) {
                state::write(list, &after);
            }
        }
    }

    fn close_loop(&mut self, list: List<'_>, value: List<'_>) {
        if let Some(id) = self.outer.take() {
            let items = state::read(&mut *list);
            let (after, result) = record::with(self.at, |r| r.close_loop(id, items));
            state::write(list, &after);
            state::write(value, &result);
        }
    }

    /// A `break` or `continue` with an optional value. Says whether Rust must do it; otherwise it was recorded.
    #[track_caller]
    pub fn exit(&mut self, exit: Exit, list: List<'_>, value: Option<List<'_>>) -> bool {
        let at = Location::caller();
        let in_rust = record::depth() == self.depth;
        match self.mode {
            Mode::Host if in_rust => return true,
            Mode::Open if in_rust => {
                let id = self.outer.expect("an open loop has its target until it is closed");
                if record::with(at, |r| r.target(id).exits) == 0 {
                    return true;
                }
                if exit == Exit::Continue {
                    return true;
                }
            }
            _ => {}
        }
        let (id, exit) = match (self.mode, exit) {
            (Mode::Host, Exit::Continue) => (self.inner, Exit::Break),
            (_, exit) => (self.outer, exit),
        };
        let id = id.expect("the macro asks for a block where it writes an exit");
        let items = state::read(list);
        let value = value.map(state::read);
        record::with(at, |r| r.exit(id, exit, items, value));
        false
    }

    /// At the end of an iteration; says whether there is another one while recording.
    pub fn next(&mut self, list: List<'_>, value: List<'_>) -> bool {
        match self.mode {
            Mode::Host => {
                self.close_body(list);
                true
            }
            Mode::Kernel => {
                self.close_loop(list, value);
                false
            }
            Mode::Open => {
                let id = self.outer.expect("an open loop has its target until it is closed");
                if record::with(self.at, |r| r.target(id).exits) > 0 {
                    self.close_loop(list, value);
                    return false;
                }
                record::with(self.at, |r| r.close_block(id, Vec::new(), None));
                self.outer = None;
                true
            }
        }
    }

    /// After the loop.
    pub fn end(&mut self, list: List<'_>, value: List<'_>) {
        match self.mode {
            Mode::Host => {
                self.close_body(&mut *list);
                if let Some(id) = self.outer.take() {
                    let items = state::read(&mut *list);
                    let result = state::read(&mut *value);
                    let result = (!result.is_empty()).then_some(result);
                    if let Some((after, result)) = record::with(self.at, |r| r.close_block(id, items, result)) {
                        state::write(list, &after);
                        state::write(value, &result);
                    }
                }
            }
            Mode::Kernel => self.close_loop(list, value),
            Mode::Open => {
                if let Some(id) = self.outer {
                    if record::with(self.at, |r| r.target(id).exits) == 0 {
                        record::with(self.at, |r| r.close_block(id, Vec::new(), None));
                        self.outer = None;
                    } else {
                        self.close_loop(list, value);
                    }
                }
            }
        }
    }
}

/// `while`, on a condition of type `C`.
pub struct While<C> {
    pub frame: Frame,
    condition: PhantomData<C>,
}

impl<C: Cond> While<C> {
    /// Before the loop.
    #[track_caller]
    pub fn begin(wrap: [bool; 2], list: List<'_>) -> While<C> {
        let mode = if C::KERNEL { Mode::Kernel } else { Mode::Host };
        let mut frame = Frame::new(Location::caller(), mode, wrap);
        frame.open(None, list);
        While { frame, condition: PhantomData }
    }

    /// With the condition, at the top; says whether to run the body.
    pub fn test(&mut self, condition: C, list: List<'_>) -> bool {
        match condition.condition() {
            Condition::Host(false) => return false,
            Condition::Host(true) => self.frame.open_body(list),
            Condition::Kernel(raw) => {
                let id = self.frame.outer.expect("a kernel loop is open until it is closed");
                let items = state::read(list);
                record::with(self.frame.at, |r| {
                    r.begin_if(raw);
                    r.begin_else();
                    r.control.push(Control::If(r.span));
                    r.exit(id, Exit::Break, items, None);
                    r.control.pop();
                    r.end();
                });
            }
        }
        true
    }
}

/// What a `for` in a kernel takes: [`range`](crate::range) records a loop, any Rust iterator is unrolled.
#[diagnostic::on_unimplemented(
    message = "`for` in a kernel cannot loop over `{Self}`",
    label = "neither a kernel range nor a Rust iterator",
    note = "write `range(lo, hi, step)` for a loop in the kernel"
)]
pub trait ForSource {
    /// What the pattern of the `for` binds.
    type Item;
    /// The Rust iterator, if it is one.
    type Iter;
    /// The bounds of a loop in the kernel, or the Rust iterator.
    fn split(self) -> Result<[Raw; 3], Self::Iter>;
    /// The next item of the Rust iterator.
    fn step(iter: &mut Self::Iter) -> Option<Self::Item>;
    /// The item that stands for all iterations of a loop in the kernel.
    fn induction(raw: Raw) -> Option<Self::Item>;
}

impl<I: IntoIterator> ForSource for I {
    type Item = I::Item;
    type Iter = I::IntoIter;
    fn split(self) -> Result<[Raw; 3], I::IntoIter> {
        Err(self.into_iter())
    }
    fn step(iter: &mut I::IntoIter) -> Option<I::Item> {
        iter.next()
    }
    fn induction(_: Raw) -> Option<I::Item> {
        None
    }
}

/// `for`, over an `S`.
pub struct For<S: ForSource> {
    pub frame: Frame,
    iter: Option<S::Iter>,
    induction: Option<Raw>,
}

impl<S: ForSource> For<S> {
    /// Before the loop.
    #[track_caller]
    pub fn begin(source: S, wrap: [bool; 2], list: List<'_>) -> For<S> {
        let at = Location::caller();
        match source.split() {
            Ok(bounds) => {
                let mut frame = Frame::new(at, Mode::Kernel, wrap);
                let induction = frame.open(Some(bounds), list);
                For { frame, iter: None, induction }
            }
            Err(iter) => {
                let mut frame = Frame::new(at, Mode::Host, wrap);
                frame.open(None, list);
                For { frame, iter: Some(iter), induction: None }
            }
        }
    }

    /// The next item, at the top.
    pub fn item(&mut self, list: List<'_>) -> Option<S::Item> {
        match &mut self.iter {
            Some(iter) => {
                let item = S::step(iter)?;
                self.frame.open_body(list);
                Some(item)
            }
            None => S::induction(self.induction?),
        }
    }
}

/// `loop`.
pub struct Loop {
    pub frame: Frame,
}

impl Loop {
    /// Before the loop. `endless`: nothing in its body leaves it.
    #[track_caller]
    pub fn begin(endless: bool) -> Loop {
        let mode = if !record::is_recording() {
            Mode::Host
        } else if endless {
            Mode::Kernel
        } else {
            Mode::Open
        };
        Loop { frame: Frame::new(Location::caller(), mode, [false; 2]) }
    }

    /// At the top of each iteration.
    pub fn top(&mut self, list: List<'_>) {
        if self.frame.mode == Mode::Host {
            self.frame.open_body(list);
            return;
        }
        self.frame.iterations += 1;
        if self.frame.iterations > record::MAX_ITERATIONS {
            self.frame.open_body(list);
            return;
        }
        self.frame.open(None, list);
    }
}
