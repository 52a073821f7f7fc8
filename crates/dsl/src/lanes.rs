//! Lanes, QPUs and items: who am I, and what do the others hold.

use crate::codes;
use crate::math::select;
use crate::ops::Equal;
use crate::record::{self, Raw};
use crate::value::{Int, Mask, Number, apply, int};
use quadra_kir::{Op, Type};
use std::panic::Location;

#[track_caller]
fn axis(op: Op, axis: u32) -> Int {
    Int { raw: record::with(Location::caller(), |r| r.axis(op, axis)) }
}

/// The number of each lane: 0, 1, … 15.
///
/// ```
/// # extern crate quadra_dsl as quadra;
/// use quadra_dsl::prelude::*;
/// #[kernel]
/// fn hello(out: Ptr<Int>) {
///     *out = index();
/// }
/// # hello().record().unwrap();
/// ```
#[track_caller]
pub fn index() -> Int {
    axis(Op::Lane, 0)
}

/// Which QPU this is, from 0, the same in all lanes.
#[track_caller]
pub fn me() -> Int {
    axis(Op::Worker, 0)
}

/// On how many QPUs the kernel was launched.
#[track_caller]
pub fn num_qpus() -> Int {
    axis(Op::NumWorkers, 0)
}

#[track_caller]
fn over(axis_number: u32) {
    record::with(Location::caller(), |r| {
        if axis_number > 2 {
            record::stop(r.error(codes::NUMBER, format!("an extent has axes 0 to 2, not {axis_number}")));
        }
        r.over = r.over.max(axis_number as u8 + 1);
    });
}

/// The number of this item, in a kernel that is launched over an extent (`over(n)`); one item per lane.
///
/// ```
/// # extern crate quadra_dsl as quadra;
/// use quadra_dsl::prelude::*;
/// #[kernel]
/// fn double(x: Ptr<Float>) {
///     let p = x + item();
///     p.scatter(p.load_lanes() * 2.0);
/// }
/// assert_eq!(double().record().unwrap().over, 1);
/// ```
#[track_caller]
pub fn item() -> Int {
    item_at(0)
}

/// The number of this item along an axis of the extent, the innermost last; the axes are 0, 1, 2.
#[track_caller]
pub fn item_at(axis_number: u32) -> Int {
    over(axis_number);
    axis(Op::Item, axis_number)
}

/// The size of the extent along an axis.
#[track_caller]
pub fn extent(axis_number: u32) -> Int {
    over(axis_number);
    axis(Op::Extent, axis_number)
}

/// Whether the mask holds in any live lane; the same in all lanes.
///
/// ```
/// # extern crate quadra_dsl as quadra;
/// use quadra_dsl::prelude::*;
/// #[kernel]
/// fn countdown(x: Ptr<Int>) {
///     let mut a = *x;
///     while any(a > 0) {
///         a = max(a - 1, 0);
///     }
///     *x = a;
/// }
/// # countdown().record().unwrap();
/// ```
#[track_caller]
pub fn any(mask: Mask) -> Mask {
    apply(Op::VoteAny, &[mask.raw])
}

/// Whether the mask holds in all live lanes; the same in all lanes.
#[track_caller]
pub fn all(mask: Mask) -> Mask {
    apply(Op::VoteAll, &[mask.raw])
}

/// The vector rotated right by `n` modulo 16 lanes: lane `i` gets what lane `i - n` holds. `rotate(x, 15)` shifts left by
/// one.
#[track_caller]
pub fn rotate<T: Number>(x: T, n: impl Into<Int>) -> T {
    apply(Op::Rotate, &[x.raw(), n.into().raw])
}

/// What one lane (modulo 16) holds, for all lanes.
#[track_caller]
pub fn broadcast<T: Number>(x: T, lane: impl Into<Int>) -> T {
    apply(Op::Broadcast, &[x.raw(), lane.into().raw])
}

/// The sum over the 16 lanes, in every lane.
///
/// ```
/// # extern crate quadra_dsl as quadra;
/// use quadra_dsl::prelude::*;
/// #[kernel]
/// fn total(x: Ptr<Float>) {
///     *x = rotate_sum(*x);
/// }
/// # total().record().unwrap();
/// ```
#[track_caller]
pub fn rotate_sum<T: Number + std::ops::Add<Output = T>>(x: T) -> T {
    [8, 4, 2, 1].into_iter().fold(x, |sum, n| sum + rotate(sum, n))
}

/// Writes one lane: lane `n` of `dst` gets what `src` holds there.
#[track_caller]
pub fn set_at<T: Number>(dst: &mut T, n: impl Into<Int>, src: T) {
    let here = index().equal(&n.into());
    *dst = select(here, src, *dst);
}

/// Bounds of a loop in the kernel; see [`range`].
pub struct Range {
    bounds: [Int; 3],
}

/// A loop in the kernel over `lo`, `lo + step`, … as long as that is below `hi` (above it for a negative step).
///
/// ```
/// # extern crate quadra_dsl as quadra;
/// use quadra_dsl::prelude::*;
/// #[kernel]
/// fn fill(n: Int, out: Ptr<Int>) {
///     for i in range(0, n, 16) {
///         out[i] = i + index();
///     }
/// }
/// # fill().record().unwrap();
/// ```
#[track_caller]
pub fn range(lo: impl Into<Int>, hi: impl Into<Int>, step: impl Into<Int>) -> Range {
    Range { bounds: [lo.into(), hi.into(), step.into()] }
}

impl crate::loops::ForSource for Range {
    type Item = Int;
    type Iter = std::convert::Infallible;
    fn split(self) -> Result<[Raw; 3], std::convert::Infallible> {
        Ok(self.bounds.map(|b| b.raw))
    }
    fn step(iter: &mut std::convert::Infallible) -> Option<Int> {
        match *iter {}
    }
    fn induction(raw: Raw) -> Option<Int> {
        Some(Int { raw })
    }
}

/// Waits until every QPU of the launch has come here. Uses three semaphores, which must be used for nothing else.
///
/// QPU 0 collects one signal of each other QPU, then releases them; semaphores hold at most 15, enough for 12 QPUs. All of that
/// happens twice, with a release of its own each time: otherwise a fast QPU could take a slow one's release in the next
/// barrier.
#[track_caller]
pub fn sync_qpus(arrived: u32, released: u32, left: u32) {
    let at = Location::caller();
    let (me, n) = (me(), num_qpus());
    let first = apply::<Mask>(Op::CmpEq, &[me.raw, int(0).raw]);
    let repeat = |op: Op, number: u32| {
        record::with(at, |r| {
            let (lo, step) = (r.constant(quadra_kir::Const::i32(1)), r.constant(quadra_kir::Const::i32(1)));
            r.begin_for(lo, n.raw, step);
            r.b.sync(op, number);
            r.end();
        });
    };
    [arrived, released, left].into_iter().for_each(crate::sync::check_semaphore);
    record::with(at, |r| {
        debug_assert_eq!(r.ty(first.raw), Type::BOOL);
        r.begin_if(first.raw);
    });
    for release in [released, left] {
        repeat(Op::SemaDec, arrived);
        repeat(Op::SemaInc, release);
    }
    record::with(at, |r| {
        r.begin_else();
        for release in [released, left] {
            r.b.sync(Op::SemaInc, arrived);
            r.b.sync(Op::SemaDec, release);
        }
        r.end();
    });
}
