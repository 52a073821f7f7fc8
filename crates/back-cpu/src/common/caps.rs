//! What the processor can do, and what that costs.

use quadra_kir::Caps;
use quadra_kir::caps::{Cost, Costs, Status};

/// Most bytes of a group's arrays: they lie on the stack of the thread that runs it.
pub(crate) const MOST_SHARED: u64 = 256 << 10;

/// What processors can do.
pub const fn caps() -> Caps {
    Caps {
        request_queue: None,
        half_memory: false,
        shared_memory: MOST_SHARED,
        max_workers: 4096,
        parallel: true,
        barriers: false,
        private_sums: true,
        quick_alone: true,
        in_place: true,
        costs: COSTS,
        ..Caps::EVERYTHING
    }
}

/// What work costs on a desktop processor of four to sixteen threads.
const COSTS: Costs = Costs {
    compile: Cost::new(8e6, Status::Measured, "kernels of loops of the array language, by libLLVM 19"),
    launch: Cost::new(10_240.0, Status::Measured, "waking the threads and waiting for the last"),
    transfer: Cost::NONE,
    operation: Cost::new(1.0, Status::Guess, "vectors of 16 words in one or two instructions"),
    memory: Cost::new(0.1, Status::Derived, "10 GB/s, as a stream of a few threads has"),
};
