//! The loop over blocks of data around the loops over groups: see [`crate::blocking`].

use super::place::Axis;
use super::state::{Lower, Val};

impl Lower<'_> {
    /// Begins the loop over blocks, if there are any, and gives the parameter its value.
    pub(super) fn begin_blocks(&mut self) -> Option<Axis> {
        let blocks = self.plan.blocks?;
        let slot = "%block".to_string();
        self.t.slots += &format!("  {slot} = alloca i32\n");
        self.t.line(&format!("store i32 0, ptr {slot}"));
        let [next, body, end] = [(); 3].map(|()| self.t.fresh_label());
        self.t.branch(&next);
        self.t.label(&next);
        let at = self.t.def(&format!("load i32, ptr {slot}"));
        let over = self.t.def(&format!("icmp sge i32 {at}, {}", blocks.many));
        self.t.branch_if(&over, &end, &body);
        self.t.label(&body);
        self.values.insert(blocks.number, Val::One(at));
        Some(Axis { slot, next, end })
    }

    pub(super) fn end_blocks(&mut self, axis: Option<Axis>) {
        let Some(Axis { slot, next, end }) = axis else { return };
        let at = self.t.def(&format!("load i32, ptr {slot}"));
        let at = self.t.def(&format!("add nsw i32 {at}, 1"));
        self.t.line(&format!("store i32 {at}, ptr {slot}"));
        self.t.branch(&next);
        self.t.label(&end);
    }
}
