//! The loop over blocks of data around the loops over groups: see [`crate::blocking`].

use super::place::Axis;
use super::state::{Lower, Val};

impl Lower<'_> {
    /// Begins the loop over blocks, if there are any, and gives the parameter its value.
    pub(super) fn begin_blocks(&mut self) -> Option<Axis> {
        let blocks = self.plan.blocks?;
        let (at, looped) = self.begin_loop("%block".into(), "0", &blocks.many.to_string());
        self.values.insert(blocks.number, Val::One(at));
        Some(looped)
    }

    pub(super) fn end_blocks(&mut self, looped: Option<Axis>) {
        looped.iter().for_each(|looped| self.end_loop(looped, 1));
    }
}
