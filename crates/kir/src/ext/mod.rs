//! Operations that only some targets have, in tables of their own. All tables make one registry ([`Op`](crate::Op)), so that
//! printer, parser, checker and interpreters know every operation; `Caps::extensions` says which tables a target adds to the core.

pub(crate) mod approx;
pub(crate) mod narrow;
pub(crate) mod queue;
pub(crate) mod sync;

/// The table that an operation stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ext {
    /// What every target has.
    Core,
    /// Requests for elements of memory.
    Queue,
    /// Rough functions.
    Approx,
    /// Products of parts of words.
    Narrow,
    /// Semaphores, the mutex, fences.
    Sync,
}

impl Ext {
    /// All extensions.
    pub const ALL: &'static [Ext] = &[Ext::Queue, Ext::Approx, Ext::Narrow, Ext::Sync];
}
