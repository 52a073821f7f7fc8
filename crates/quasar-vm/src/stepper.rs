//! Who looks at every statement of a run, if somebody does: what a debugger is to the machine.

use super::code::{Code, Op};
use super::cx::Cx;
use super::fault::Fault;
use super::thread::Thread;
use quadra_base::{FileId, Span};

/// How the program goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    /// To the next breakpoint, or to its end.
    On,
    /// To the next statement, in whatever function.
    Into,
    /// To the next statement of this function and item, or of what called it.
    Over,
    /// To the next statement of what called this function.
    Out,
    /// As if it had not stopped: a step that is not done goes on.
    Along,
    /// Without the debugger.
    Free,
    /// Not at all.
    Quit,
}

/// Somebody who looks at every statement. The machine asks how the program goes on; nothing means that it did not stop.
pub trait Stepper {
    /// A program in this file is about to run.
    fn learn(&mut self, file: FileId, code: &Code);

    /// A run begins: of the program, or of a function that a built-in function calls.
    fn begins(&mut self);

    /// The run that began last ends.
    fn ends(&mut self);

    /// Whether it wants to see what instructions gave.
    fn looks_at_results(&self) -> bool;

    /// Before a statement.
    fn statement(&mut self, thread: &mut Thread, cx: &mut Cx, span: Span) -> Option<Go>;

    /// Behind an instruction of the innermost frame.
    fn result(&mut self, thread: &mut Thread, cx: &mut Cx, op: Op) -> Option<Go>;

    /// An instruction failed; the frames are still as they were.
    fn failed(&mut self, thread: &mut Thread, cx: &mut Cx, fault: &Fault) -> Option<Go>;
}
