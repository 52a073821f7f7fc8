//! What a target can do and what it costs, in words that name no target. Front ends, passes and back ends ask this and
//! compare no names.

use crate::ext::Ext;
use crate::launch::Arithmetic;
use crate::ops::Op;
use crate::types::{Elem, LANES};

/// Capabilities of a target.
#[derive(Clone, Debug)]
pub struct Caps {
    /// Lanes of a subgroup.
    pub width: u32,
    /// Has `i64`.
    pub int64: bool,
    /// Has `f64`.
    pub float64: bool,
    /// Loads and stores half floats.
    pub half_memory: bool,
    /// Which arithmetic floats follow: whether there are subnormal numbers, NaN and infinity.
    pub arithmetic: Arithmetic,
    /// Requests that may wait, where asking ahead saves time.
    pub request_queue: Option<u32>,
    /// Loads see what the same launch has stored. Where they need not, the fast path may return what was there before: a
    /// buffer that the launch also writes must be read through the slow path.
    pub coherent_loads: bool,
    /// Bytes of arrays shared by a group (`Space::Shared`) that cost no more than a worker's own variables; 0 if parts of a
    /// buffer serve as well.
    pub shared_memory: u64,
    /// The most workers of a launch.
    pub max_workers: u32,
    /// Workers run side by side. Where they do not, one worker runs the items in their order, and nobody asks for speed.
    pub parallel: bool,
    /// Runs groups of any size and their barriers as they are, so that nobody need run a group in one worker.
    pub barriers: bool,
    /// Adds to small arrays of integers in a copy of each worker: atomic additions to them are as quick as plain ones.
    pub private_sums: bool,
    /// One worker alone runs a loop in order much quicker than an interpreter does.
    pub quick_alone: bool,
    /// Works in the host's memory: launches copy nothing.
    pub in_place: bool,
    /// An access outside of a buffer stops the launch. Where it does not, indices must be clamped.
    pub faults: bool,
    /// Tables of operations that it adds to the core.
    pub extensions: &'static [Ext],
    /// Operations of the core and of these tables that the target executes as they are, by the element type of the first operand; `legalize` expands the
    /// others.
    pub native: fn(Op, Elem) -> bool,
    pub costs: Costs,
}

impl Caps {
    /// Everything, as the interpreters have it.
    pub const EVERYTHING: Caps = Caps {
        width: LANES,
        int64: true,
        float64: true,
        half_memory: true,
        arithmetic: Arithmetic::Nearest,
        request_queue: Some(4),
        coherent_loads: true,
        shared_memory: 0,
        max_workers: 12,
        parallel: false,
        barriers: true,
        private_sums: false,
        quick_alone: false,
        in_place: false,
        faults: true,
        extensions: Ext::ALL,
        native: |_, _| true,
        costs: Costs::INTERPRETED,
    };

    /// Whether the target has the table that an operation stands in.
    pub fn knows(&self, op: Op) -> bool {
        let ext = op.info().ext;
        ext == Ext::Core || self.extensions.contains(&ext)
    }

    /// Whether it executes an operation on operands of this type as it is.
    pub fn runs(&self, op: Op, elem: Elem) -> bool {
        self.knows(op) && (self.native)(op, elem)
    }

    /// Whether values of this type can be computed with.
    pub fn has(&self, elem: Elem) -> bool {
        match elem {
            Elem::I64 => self.int64,
            Elem::F64 => self.float64,
            _ => true,
        }
    }

    /// Whether floats can be NaN or infinite.
    pub fn has_nonfinite(&self) -> bool {
        self.arithmetic == Arithmetic::Nearest
    }
}

/// How a cost was obtained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// A property of the target's structure.
    Structural,
    /// Measured.
    Measured,
    /// Follows from measurements of whole programs.
    Derived,
    /// Plausible, but not measured.
    Guess,
}

/// One cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    pub nanoseconds: f64,
    pub status: Status,
    /// Where the figure comes from.
    pub source: &'static str,
}

impl Cost {
    /// Nothing, by the structure of the target.
    pub const NONE: Cost = Cost::new(0.0, Status::Structural, "there is nothing to do");

    /// A cost with its source.
    pub const fn new(nanoseconds: f64, status: Status, source: &'static str) -> Cost {
        Cost { nanoseconds, status, source }
    }
}

/// What work costs on a target, as far as somebody who chooses between targets, or between one launch and many, must know.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// Compiling a kernel of usual size.
    pub compile: Cost,
    /// A launch that does nothing.
    pub launch: Cost,
    /// A byte from the target's memory to the host's, or back.
    pub transfer: Cost,
    /// An operation of one worker on all lanes.
    pub operation: Cost,
    /// A byte of a buffer, all workers together.
    pub memory: Cost,
}

impl Costs {
    /// Of the interpreters.
    pub const INTERPRETED: Costs = Costs {
        compile: Cost::NONE,
        launch: Cost::NONE,
        transfer: Cost::NONE,
        operation: Cost::new(50.0, Status::Guess, "an instruction of the reference interpreter on 16 lanes"),
        memory: Cost::NONE,
    };
}
