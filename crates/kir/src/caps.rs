//! What a target can do, in words that name no target. Passes take these capabilities and nothing else.

use crate::ops::Op;
use crate::types::Elem;

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
    /// Can load each lane's own address without waiting in between (a queue of requests).
    pub request_queue: Option<u32>,
    /// Loads through the fast path may return what was there before the launch: a buffer that the launch also writes must
    /// be read through the slow, coherent path.
    pub incoherent_loads: bool,
    /// Operations that the target executes as they are, by the element type of the first operand; `legalize` expands the
    /// others.
    pub native: fn(Op, Elem) -> bool,
}

impl Caps {
    /// Everything, as the interpreters have it.
    pub const EVERYTHING: Caps = Caps {
        width: 16,
        int64: true,
        float64: true,
        half_memory: true,
        request_queue: Some(4),
        incoherent_loads: false,
        native: |_, _| true,
    };
}
