//! Functions in progress: a [`Thread`] holds the values and frames of one run, so that an item of a kernel can stop at a barrier and
//! go on later.

use super::code::{Code, Reg};
use super::value::{Callable, Value};
use quadra_base::Span;
use std::rc::Rc;

/// A function call in progress.
pub struct Frame {
    pub code: Rc<Code>,
    pub callable: Rc<Callable>,
    pub pc: usize,
    pub base: usize,
    /// Where the results go, as a position in the stack, and how many are wanted.
    pub to: usize,
    pub outs: usize,
}

impl Frame {
    /// The place of the instruction that the frame is at.
    pub fn place(&self) -> Span {
        let at = self.pc.saturating_sub(1).min(self.code.spans.len().saturating_sub(1));
        self.code.spans.get(at).copied().unwrap_or(self.code.span)
    }
}

/// Where `catch` takes over.
pub struct Handler {
    pub frames: usize,
    pub pc: usize,
    pub var: Reg,
}

/// One run of program code.
#[derive(Default)]
pub struct Thread {
    pub stack: Vec<Value>,
    pub frames: Vec<Frame>,
    pub handlers: Vec<Handler>,
    /// Results of the outermost call.
    pub results: Vec<Value>,
    /// How often this item passed each allocation of shared memory.
    pub shared_sites: Vec<(usize, u32)>,
    /// Its number for a debugger; 0 if that has not seen it.
    pub serial: u64,
}

/// Why a run stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    Done,
    /// At a barrier of this scope: 0 block, 1 warp, 2 grid, 3 host.
    Barrier(u8),
}
