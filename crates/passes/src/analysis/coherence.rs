//! Which loads may meet what the same launch stores.
//!
//! On some targets the fast path of loads goes through caches that do not see the launch's own stores. A buffer that a
//! kernel both loads and stores must then be loaded by the slow path.

use quadra_kir::{Buf, Effect, Kernel, Op, Param, Space};
use std::collections::BTreeSet;

/// The buffers whose loads may return what this launch stores, on any worker. With `alias`, parameters may be bound to one
/// buffer: then every loaded buffer counts as soon as one is stored.
pub fn coherence(kernel: &Kernel, alias: bool) -> BTreeSet<Buf> {
    let (mut loaded, mut stored) = (BTreeSet::new(), BTreeSet::new());
    kernel.body.walk(&mut |inst| {
        let Some(buf) = inst.buf else { return };
        match inst.op.info().effect {
            Effect::Read => loaded.extend([buf]),
            Effect::Write => stored.extend([buf]),
            Effect::ReadWrite => {
                loaded.insert(buf);
                stored.insert(buf);
            }
            Effect::Ordered if inst.op == Op::TmuRequest => loaded.extend([buf]),
            _ => {}
        }
    });
    let any = alias && !stored.is_empty();
    loaded.retain(|b| any || stored.contains(b) || kernel.bufs[*b].space == Space::Shared);
    loaded
}

/// The buffers among the first 64 parameters that `mask` names, bit by bit.
pub fn named(kernel: &Kernel, mask: u64) -> BTreeSet<Buf> {
    let bit = |i: usize| i < 64 && mask >> i & 1 != 0;
    let named = kernel.params.iter().enumerate().filter(|(i, _)| bit(*i));
    named.filter_map(|(_, p)| if let Param::Buffer(b) = p { Some(*b) } else { None }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_kir::parse;

    #[test]
    fn only_buffers_that_are_loaded_and_stored_count() {
        let k = parse::kernel(
            "t.kir",
            "kernel @k(%p: buf<i32, r>, %q: buf<i32, rw>, %r: buf<i32, w>) simt group=16 over=0 {
               %a = load %p[0] %b = load %q[0] store %q[1], %a store %r[0], %b
             }",
        )
        .expect("the test's kernel parses");
        let names = |alias| coherence(&k, alias).into_iter().map(|b| k.bufs[b].name.clone()).collect::<Vec<_>>();
        assert_eq!(names(false), ["q"]);
        assert_eq!(names(true), ["p", "q"]);
    }
}
