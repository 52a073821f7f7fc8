//! Arrays of which each item stores an element of its own, at the same place in all its statements. A device whose stores take
//! whole rows may then store again what an item leaves as it is (pass `merge`).

use super::value::Item;
use quadra_base::quick::Map;
use quadra_kir::{Buf, Effect, Kernel};

/// The subscripts of an element: the item's index along an axis and a distance, or a constant.
pub(super) type Pattern = Vec<Result<Item, i64>>;

/// The stores so far, by buffer: how many, and where to.
#[derive(Clone, Debug, Default)]
pub(super) struct Own(Map<Buf, (usize, Option<Pattern>)>);

impl Own {
    pub fn stored(&mut self, buf: Buf, pattern: Option<&Pattern>) {
        let entry = self.0.entry(buf).or_insert_with(|| (0, pattern.cloned()));
        entry.0 += 1;
        if entry.1.as_ref() != pattern {
            entry.1 = None;
        }
    }

    /// Marks the buffers in the finished kernel that nothing stores to in another way.
    pub fn mark(&self, kernel: &mut Kernel) {
        for (&buf, (known, pattern)) in &self.0 {
            let mut all = 0;
            kernel.body.walk(&mut |inst| {
                let writes = matches!(inst.op.info().effect, Effect::Write | Effect::ReadWrite);
                all += usize::from(writes && inst.buf == Some(buf));
            });
            kernel.bufs[buf].own = pattern.is_some() && all == *known;
        }
    }
}
