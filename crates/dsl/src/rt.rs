//! Names for the code that `#[kernel]` writes. Not for use by hand.

pub use crate::exits::Exit;
pub use crate::flow::{Body, Cond, If, never, return_kernel};
pub use crate::kernel::Kernel;
pub use crate::logic::{Logic, ShortCircuit, Truth};
pub use crate::loops::{For, ForSource, Frame, Loop, While};
pub use crate::ops::{Equal, Order};
pub use crate::places::{Assignee, HostIndex, HostIndexMut, PtrIndex, PtrIndexMut, Star, StarPtr, StarRef};
pub use crate::state::{KernelState, Probe, ProbeAny, ProbeHost, ProbeState, Visitor};
pub use crate::value::Literal;

/// The value of a literal whose type the context gives.
#[track_caller]
pub fn literal<T: Literal<L>, L>(literal: L) -> T {
    T::literal(literal)
}

/// What a `#[host]` parameter can be: the kernel keeps it, and clones it each time it is recorded.
#[diagnostic::on_unimplemented(
    message = "a kernel cannot keep `{Self}`",
    label = "a `#[host]` parameter is `Clone + Send + Sync + 'static`",
    note = "closures and generic types say so: `#[host] f: impl Fn(Int) -> Int + Clone + Send + Sync + 'static`"
)]
pub trait Kept {}
#[diagnostic::do_not_recommend]
impl<T: Clone + Send + Sync + 'static> Kept for T {}

/// Checks the type of a `#[host]` parameter where it stands.
pub fn kept<T: Kept>(_: &T) {}

/// `assert!` in a kernel: of a Rust truth value now, of a mask while the kernel runs.
#[track_caller]
pub fn assert_that(condition: impl Cond, text: impl FnOnce() -> String) {
    use crate::flow::Condition;
    use crate::record;
    let at = std::panic::Location::caller();
    match condition.condition() {
        Condition::Host(true) => {}
        Condition::Host(false) if record::is_recording() => {
            record::with(at, |r| record::stop(r.error(crate::codes::ASSERT, format!("assertion failed: {}", text()))))
        }
        Condition::Host(false) => panic!("assertion failed: {}", text()),
        Condition::Kernel(raw) => record::with(at, |r| {
            r.count();
            let holds = r.value(raw);
            r.b.say(quadra_kir::Op::Assert, &[holds], text());
        }),
    }
}
