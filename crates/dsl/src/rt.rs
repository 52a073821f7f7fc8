//! Names for the code that `#[kernel]` writes. Not for use by hand.

pub use crate::exits::Exit;
pub use crate::flow::{Body, Cond, If, never, return_kernel};
pub use crate::kernel::Kernel;
pub use crate::loops::{For, ForSource, Frame, Loop, While};
pub use crate::ops::{Equal, Logic, Order, Truth};
pub use crate::ptr::{Assignee, HostIndex, HostIndexMut, PtrIndex, Star, StarPtr, StarRef};
pub use crate::state::{KernelState, Probe, ProbeAny, ProbeHost, ProbeState, Visitor};
pub use crate::value::Literal;

/// The value of a literal whose type the context gives.
#[track_caller]
pub fn literal<T: Literal<L>, L>(literal: L) -> T {
    T::literal(literal)
}

/// Whether Rust evaluates the right side of `&&` after this left side.
pub fn goes_on_and(left: impl Truth) -> bool {
    left.known() != Some(false)
}

/// Whether Rust evaluates the right side of `||` after this left side.
pub fn goes_on_or(left: impl Truth) -> bool {
    left.known() != Some(true)
}
