//! Loops in the widest vectors that the processor has. Crates are compiled for the least of its kind; a [`Job`] is compiled once
//! more for each of its better ones, and the one that fits runs.

/// Work that is compiled for several processors. Only what is inlined into `call` is.
pub use pulp::NullaryFnOnce as Job;

/// Does it with the best instructions there are.
pub fn run<J: Job>(job: J) -> J::Output {
    // The answer of the processor is kept by the standard library.
    pulp::Arch::new().dispatch(job)
}
