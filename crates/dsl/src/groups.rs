//! Groups of items: arrays that they share, and barriers at which they meet. And arrays that each item has for itself.
//!
//! A kernel that says [`group`] is launched over whole groups of so many items. The items of a group see one another's stores to
//! [`shared`] arrays (and to buffers) behind the next [`barrier`], which all of them must reach together.
//!
//! ```
//! # extern crate quadra_dsl as quadra;
//! use quadra_dsl::prelude::*;
//!
//! /// The sum of 64 numbers each.
//! #[kernel]
//! fn sums(x: Ptr<Int>, out: Ptr<Int>) {
//!     let i = group(64);
//!     let part = shared::<i32, 64>();
//!     part.at(i).scatter(x.at(item()).load_lanes());
//!     let mut half = int(32);
//!     while half > 0 {
//!         barrier();
//!         if i < half {
//!             part.at(i).scatter(part.at(i).load_lanes() + part.at(i + half).load_lanes());
//!         }
//!         half = half >> 1;
//!     }
//!     if i == 0 {
//!         out.at(group_number()).scatter(part.at(i).load_lanes());
//!     }
//! }
//!
//! # fn main() -> Result<(), Error> {
//! let (x, out) = (Buffer::from((0..256).collect::<Vec<i32>>()), Buffer::<i32>::new(4));
//! sums().compile(&*quadra_device::open("emu")?)?.qpus(2).over(256).call((&x, &out))?;
//! assert_eq!(out.to_vec(), [2016, 6112, 10208, 14304]);
//! # Ok(())
//! # }
//! ```

use crate::codes;
use crate::elements::Stored;
use crate::lanes::item_at;
use crate::math::select;
use crate::ops::Equal as _;
use crate::ptr::Ptr;
use crate::record;
use crate::state::{KernelState, Visitor};
use crate::value::{Float, Int, UInt, Value};
use quadra_kir::{Const, Op};
use std::panic::Location;

/// Rust's names of what arrays hold.
#[diagnostic::on_unimplemented(
    message = "there are no arrays of `{Self}` in kernels",
    label = "expected `i32`, `u32` or `f32`"
)]
pub trait ArrayElement {
    /// The kernel's type.
    type Stored: Stored<Value = Self::Stored> + Value + Default;
}
macro_rules! elements {
    ($($host:ty => $kernel:ty),*) => {$(
        impl ArrayElement for $host {
            type Stored = $kernel;
        }
        impl ArrayElement for $kernel {
            type Stored = $kernel;
        }
    )*};
}
elements!(i32 => Int, u32 => UInt, f32 => Float);

/// Puts the items into groups of `items`, which share arrays and meet at barriers; gives each item's number in its group. A
/// multiple of 16, and launches have a multiple of it.
#[track_caller]
pub fn group(items: u32) -> Int {
    groups([items]);
    local_at(0)
}

/// As [`group`], for an extent of several axes, the innermost last: `groups([8, 8])`.
#[track_caller]
pub fn groups<const N: usize>(items: [u32; N]) {
    let product: u64 = items.iter().map(|&n| u64::from(n)).product();
    record::with(Location::caller(), |r| {
        if N == 0 || N > 3 || product == 0 || !product.is_multiple_of(16) || product > 1 << 16 {
            let text = format!("groups of {items:?} items: a group has a multiple of 16 items, at most 65536");
            record::stop(r.error(codes::NUMBER, text));
        }
        if r.grouped && r.b.kernel().group != items {
            record::stop(r.error(codes::NUMBER, "a kernel has groups of one size"));
        }
        r.grouped = true;
        r.b.kernel().group = items.to_vec();
        r.over = r.over.max(N as u8);
    });
}

#[track_caller]
fn place(op: Op, axis: u32) -> Int {
    item_at(axis);
    Int { raw: record::with(Location::caller(), |r| r.axis(op, axis)) }
}

/// The number of this item within its group along an axis of the extent.
#[track_caller]
pub fn local_at(axis: u32) -> Int {
    place(Op::Local, axis)
}

/// The number of this item's group; in an extent of several axes see [`group_at`].
#[track_caller]
pub fn group_number() -> Int {
    group_at(0)
}

/// The number of this item's group along an axis of the extent.
#[track_caller]
pub fn group_at(axis: u32) -> Int {
    place(Op::Group, axis)
}

/// An array of `N` elements that the items of a group share, zeros at first.
#[track_caller]
pub fn shared<T: ArrayElement, const N: usize>() -> Ptr<T::Stored> {
    record::with(Location::caller(), |r| {
        if N == 0 || N > 1 << 16 {
            record::stop(r.error(codes::NUMBER, format!("an array of {N} elements: a group shares 1 to 65536")));
        }
        let name = format!("shared{}", r.uses.len());
        let buf = r.b.kernel().add_shared(&name, <T::Stored as Stored>::ELEM, vec![N as u32]);
        r.uses.push(record::Uses { read: true, written: true });
        Ptr::to(buf, r.constant(Const::i32(0)))
    })
}

/// Waits until all items of the group have come here; what they stored before is what all load behind it.
#[track_caller]
pub fn barrier() {
    record::with(Location::caller(), |r| {
        r.count();
        r.over = r.over.max(1);
        r.b.sync(Op::Barrier, 0);
    });
}

/// An array of `N` elements that each item has for itself, zeros at first. Its elements lie in registers, so that a kernel's
/// index costs a choice among all of them; loops over [`range`](crate::range) of a known length that index it are unrolled.
///
/// ```
/// # extern crate quadra_dsl as quadra;
/// use quadra_dsl::prelude::*;
/// #[kernel]
/// fn most_frequent(x: Ptr<Int>, n: Int, out: Ptr<Int>) {
///     let mut counts = private::<i32, 4>();
///     for i in range(0, n, 1) {
///         let v = x.at(i).load_lanes() & 3;
///         counts.set(v, counts.get(v) + 1);
///     }
///     let mut best = int(0);
///     for v in range(1, 4, 1) {
///         if counts.get(v) > counts.get(best) {
///             best = v;
///         }
///     }
///     *out = best;
/// }
/// let out = Buffer::<i32>::new(16);
/// most_frequent().compile(&*quadra_device::open("emu").unwrap()).unwrap().call((&Buffer::from(vec![7, 2, 6, 1]), 4, &out)).unwrap();
/// assert_eq!(out.get(0), 2);
/// ```
#[track_caller]
pub fn private<T: ArrayElement, const N: usize>() -> Array<T::Stored, N> {
    Array([T::Stored::default(); N])
}

/// See [`private`].
#[derive(Clone, Copy, Debug)]
pub struct Array<T, const N: usize>([T; N]);

impl<T: Value + Default, const N: usize> Array<T, N> {
    /// Each lane's element at its own index; 0 outside.
    #[track_caller]
    pub fn get(&self, index: impl Into<Int>) -> T {
        let index = index.into();
        self.0.iter().enumerate().fold(T::default(), |found, (i, &x)| select(index.equal(&(i as i32)), x, found))
    }

    /// Changes each live lane's element at its own index; nothing outside.
    #[track_caller]
    pub fn set(&mut self, index: impl Into<Int>, x: impl Into<T>) {
        let (index, x) = (index.into(), x.into());
        for (i, old) in self.0.iter_mut().enumerate() {
            *old = select(index.equal(&(i as i32)), x, *old);
        }
    }

    /// The elements, for indices of Rust.
    pub fn elements(&mut self) -> &mut [T; N] {
        &mut self.0
    }
}

impl<T: KernelState, const N: usize> KernelState for Array<T, N> {
    fn visit(&mut self, visitor: &mut Visitor<'_>) {
        self.0.visit(visitor);
    }
    fn view(&self, visitor: &mut Visitor<'_>) {
        self.0.view(visitor);
    }
}
