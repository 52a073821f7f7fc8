//! Atomic operations on elements: several lanes and workers may meet in one element, and every one of them counts.

use crate::elements::{Signed, Word};
use crate::ptr::Ptr;
use crate::record;
use quadra_kir::Op;
use std::panic::Location;

macro_rules! atomics {
    ($($(#[$doc:meta])* $name:ident $op:ident $T:ident: $bound:path;)*) => {$(
        impl<$T: $bound> Ptr<$T> {
            $(#[$doc])*
            #[track_caller]
            pub fn $name(self, x: impl Into<$T>) {
                let x = x.into();
                record::with(Location::caller(), |r| {
                    r.count();
                    let uses = &mut r.uses[self.buffer().index()];
                    (uses.read, uses.written) = (true, true);
                    let (index, x) = (r.value(self.index().raw), r.value(x.raw()));
                    r.b.atomic(Op::$op, self.buffer(), &[index], &[x]);
                });
            }
        }
    )*};
}

atomics! {
    /// Adds `x` to each live lane's own element.
    ///
    /// The order of the additions is not fixed, nor how they are bracketed: a device may add up parts first, so that
    /// sums of floats may differ in their last bits from device to device and from launch to launch.
    ///
    /// ```
    /// # extern crate quadra_dsl as quadra;
    /// use quadra_dsl::prelude::*;
    /// #[kernel]
    /// fn count(x: Ptr<Int>, bins: Ptr<Int>) {
    ///     bins.at(x.at(item()).load_lanes() & 15).atomic_add(1);
    /// }
    /// # count().record().unwrap();
    /// ```
    atomic_add AtomicAdd T: Word;
    /// Lowers each live lane's own element to `x` if that is smaller.
    atomic_min AtomicMin T: Signed;
    /// Raises each live lane's own element to `x` if that is larger.
    atomic_max AtomicMax T: Signed;
}
