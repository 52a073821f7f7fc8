//! Whether a loop has an end that a GPU has not seen: the item that took too long runs alone, on the processor.
//!
//! A GPU stops an item after so many iterations, because it serves a screen, too. That need not be an endless loop. So before the
//! whole launch goes to the processor, which has the patience that the caller asks for, the first such item goes there with
//! more iterations than any GPU would run; if it does not end then, nobody need wait for the others.

use quadra_kir::{Kernel, Op, Type, Value};
use std::collections::HashMap;

/// Iterations of one item on the processor's own code, a fraction of a second; and instructions, where it is interpreted.
pub(super) const COMPILED: u64 = 1 << 28;
pub(super) const INTERPRETED: u64 = 1 << 23;

/// The kernel for one item, whose place and the extent are arguments behind its own; nothing if what the item does depends on
/// others.
pub(super) fn alone(kernel: &Kernel) -> Option<Kernel> {
    let others = |op: Op| {
        matches!(op, Op::Lane | Op::Local | Op::Group | Op::NumGroups | Op::GroupSize | Op::Barrier | Op::Worker)
    };
    if kernel.body.any(&mut |i| others(i.op)) || kernel.shared().next().is_some() {
        return None;
    }
    let mut alone = kernel.clone();
    let axes = usize::from(kernel.over);
    let mut values: Vec<Value> = Vec::new();
    for (what, axis) in ["place", "extent"].into_iter().flat_map(|w| (0..axes).map(move |a| (w, a))) {
        values.push(alone.add_scalar(&format!("{what}{axis}"), Type::I32));
    }
    let mut map: HashMap<Value, Value> = HashMap::new();
    kernel.body.walk(&mut |i| {
        let of = match i.op {
            Op::Item => 0,
            Op::Extent => axes,
            _ => return,
        };
        map.extend(i.results.first().map(|&r| (r, values[of + i.imm as usize])));
    });
    alone.replace_uses(&map);
    Some(alone)
}
