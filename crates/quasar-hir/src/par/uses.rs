//! Uses of arrays and variables in the body of a loop.

use super::body::Body;
use super::extreme::Extreme;
use quadra_base::Span;
use quadra_quasar_syntax::ast::{Expr, Text};
use std::collections::HashSet;

/// An access to an element or slice.
pub struct Access {
    pub(super) array: Text,
    pub(super) items: Vec<Expr>,
    pub(super) span: Span,
    /// The class of a compound assignment.
    pub(super) update: Option<char>,
    pub(super) write: bool,
    /// Variables of the inner loops around it.
    pub(super) inner: Vec<Text>,
    /// Conditions around it, and whether they hold there.
    pub(super) guards: Vec<(Expr, bool)>,
}

/// How a scalar is used.
#[derive(Default)]
pub struct Scalar {
    /// Classes of the updates `v op= e` that see a value from before.
    pub(super) updates: HashSet<char>,
    pub(super) exposed_read: bool,
    /// Where it is read first, and set last.
    pub(super) read_at: Option<Span>,
    pub(super) set_at: Option<Span>,
    pub(super) other_read: bool,
    pub(super) plain_write: bool,
    /// An update is written as `v op= e`.
    pub(super) compound: bool,
    /// It keeps an extreme, and what belongs to that.
    pub(super) extreme: Option<Extreme>,
    /// In how many branches it belongs to an extreme.
    pub(super) follows: u32,
}

impl Scalar {
    /// Iterations combine it and do not look.
    pub(super) fn is_reduction(&self) -> bool {
        self.updates.len() == 1 && !self.other_read && !self.plain_write && self.follows == 0
    }

    /// Every iteration sets it before it reads it.
    pub(super) fn is_private(&self) -> bool {
        let follows = self.follows == 0 || self.follows == 1 && !self.plain_write && !self.other_read;
        self.updates.is_empty() && !self.exposed_read && follows
    }
}

impl Body<'_> {
    pub(super) fn note_read(&mut self, name: &Text, exposed: bool) {
        let here = self.here;
        let s = self.scalar(name);
        if s.read_at.is_none() || exposed && !s.exposed_read {
            s.read_at = here;
        }
        s.other_read = true;
        s.exposed_read |= exposed;
    }
}
