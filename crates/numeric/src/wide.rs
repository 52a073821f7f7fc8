//! Loops in the widest vectors that the processor has: a [`Job`] is compiled once for each kind of vectors, and the best one runs.

/// Work that is compiled for several processors. Only what is inlined into `call` is.
pub use pulp::NullaryFnOnce as Job;

/// Does it with the best instructions there are.
pub fn run<J: Job>(job: J) -> J::Output {
    pulp::Arch::new().dispatch(job)
}
