//! What a compiled function is made for, and what its caller must know of it.

use quadra_base::Span;
use quadra_kir::{Buf, Elem, Op, Value};
use std::sync::Arc;

/// Why translated code stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Sort {
    Bounds = 1,
    Assert,
    Budget,
    QueueFull,
    QueueEmpty,
    QueueLeft,
    /// The caller has noted why.
    Noted,
    /// Somebody wants an end.
    Stopped,
    /// A lane is outside though it was proved to be inside.
    Proof,
}

/// An instruction that may fault or speaks: what the caller must know of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    pub span: Option<Span>,
    pub op: Op,
    pub buf: Option<Buf>,
    pub text: Option<Arc<str>>,
    /// Element types of what `print` prints.
    pub elems: Vec<Elem>,
    /// By which rule the access was proved to stay inside, if this tests the proof.
    pub proof: Option<Reason>,
}

/// How many groups one turn computes: along the last axis but one, and along the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub rows: usize,
    pub columns: usize,
}

impl Shape {
    /// One group at a time.
    pub const ONE: Shape = Shape { rows: 1, columns: 1 };

    /// Groups of a turn.
    pub fn parts(self) -> usize {
        self.rows * self.columns
    }
}

/// Why an access needs no test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The front end tested or proved it, and `quadra_passes::replay` found the same.
    Claimed,
    /// The bounds of what its index is a sum of.
    Bounds,
    /// The comparisons that its mask is made of.
    Mask,
}

impl Reason {
    pub const ALL: [Reason; 3] = [Reason::Claimed, Reason::Bounds, Reason::Mask];

    /// The rule in words.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Claimed => "the front end",
            Reason::Bounds => "the bounds of its index",
            Reason::Mask => "the comparisons of its mask",
        }
    }
}

/// How a buffer is kept by each thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Private {
    /// What combines the copies.
    pub op: Op,
    /// Elements of a copy.
    pub length: u32,
    /// Copies that one thread has, so that neighbouring increments do not wait for each other.
    pub copies: u32,
}

impl Private {
    /// Elements from one copy to the next: what lanes that are not asked count, goes behind the last element.
    pub fn stride(self) -> u32 {
        self.length + 16
    }
}

/// What combines with anything to that.
pub fn neutral(op: Op) -> i64 {
    match op {
        Op::AtomicMin => i64::from(i32::MAX),
        Op::AtomicMax => i64::from(i32::MIN),
        Op::AtomicAnd => -1,
        _ => 0,
    }
}

/// All groups are computed in blocks of a loop's iterations, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Blocks {
    /// The parameter behind the launch's own that is a block's number.
    pub number: Value,
    pub many: u32,
}
