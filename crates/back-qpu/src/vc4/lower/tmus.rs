//! Which TMU serves which requests.
//!
//! A program that names one TMU only has both in balance: the hardware exchanges them for half of the QPUs. But rows and
//! scattered words disturb each other in a cache of 64 lines without ways: a walk down a column keeps a line per lane for 16
//! steps, and every row that maps to one of them throws it out. So where a loop asks for both, and it is known which receive
//! belongs to which, rows go to TMU0 and scattered words to TMU1, by name. Then, too, all four QPUs of a slice find rows that
//! they share in one cache.

use kir::{Block, Buf, Kernel, Op, Value};
use quadra_base::quick::{Map, Set};
use quadra_kir as kir;
use quadra_passes::analysis::affine::Affine;
use quadra_passes::analysis::queue::Queue;

/// Clocks that a lookup keeps a TMU busy (one lane per clock) for the four QPUs that share it.
const CLOCKS_PER_ROW: usize = 4 * 16;
/// Clocks that an operation of the kernel takes at least: half of an issue slot.
const CLOCKS_PER_OPERATION: usize = 2;

/// The requests that go to TMU1.
#[derive(Default)]
pub(super) struct Second {
    pub buffers: Set<Buf>,
    pub receives: Set<Value>,
}

/// What a buffer's requests look like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Rows,
    Scattered,
    Both,
}

/// Decides for a kernel; nothing goes to TMU1 by name unless that pays.
pub(super) fn second(kernel: &Kernel, queue: Option<&Queue>) -> Second {
    let Some(queue) = queue.filter(|q| !q.sources.is_empty()) else { return Second::default() };
    let strides = Affine::of(kernel);
    let mut shapes: Map<Buf, Shape> = Map::default();
    kernel.body.walk(&mut |i| {
        if let (Op::TmuRequest, Some(buf), &[index]) = (i.op, i.buf, i.args.as_slice()) {
            let row = matches!(strides.stride(index), Some(0 | 1));
            let shape = if row { Shape::Rows } else { Shape::Scattered };
            shapes
                .entry(buf)
                .and_modify(|s| {
                    if *s != shape {
                        *s = Shape::Both
                    }
                })
                .or_insert(shape);
        }
    });
    let scattered: Set<Buf> = shapes.iter().filter(|(_, s)| **s == Shape::Scattered).map(|(b, _)| *b).collect();
    if scattered.is_empty() || shapes.values().any(|s| *s == Shape::Both) || !mixed(&kernel.body, &scattered) {
        return Second::default();
    }
    let receives = queue.sources.iter().filter(|(_, buf)| scattered.contains(buf)).map(|(&v, _)| v).collect();
    Second { buffers: scattered, receives }
}

/// Whether some innermost loop asks for rows and for scattered words, and all do so seldom enough for TMU0 to keep up.
fn mixed(block: &Block, scattered: &Set<Buf>) -> bool {
    let mut found = false;
    let mut fits = true;
    block.walk(&mut |inst| {
        let innermost =
            matches!(inst.op, Op::For | Op::Loop) && !inst.regions[0].any(&mut |i| matches!(i.op, Op::For | Op::Loop));
        if !innermost {
            return;
        }
        let (mut rows, mut others) = (0, 0);
        inst.regions[0].walk(&mut |i| {
            if i.op == Op::TmuRequest {
                *(if i.buf.is_some_and(|b| scattered.contains(&b)) { &mut others } else { &mut rows }) += 1;
            }
        });
        found |= rows > 0 && others > 0;
        fits &= rows.max(others) * CLOCKS_PER_ROW <= inst.regions[0].count() * CLOCKS_PER_OPERATION;
    });
    found && fits
}
