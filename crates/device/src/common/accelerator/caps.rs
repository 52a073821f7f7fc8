//! What a GPU can do and costs.

use quadra_kir::{Arithmetic, Caps, Cost, Costs, LANES, caps::Status};

/// What a GPU can do at least; known without a driver. One at hand has caps of its own.
pub static CAPS: Caps = Caps {
    width: LANES,
    int64: false,
    float64: false,
    half_memory: false,
    arithmetic: Arithmetic::Nearest,
    request_queue: None,
    coherent_loads: true,
    shared_memory: 16 << 10,
    max_workers: 4096,
    parallel: true,
    barriers: true,
    private_sums: false,
    quick_alone: false,
    in_place: false,
    faults: true,
    extensions: &[],
    native: |_, _| true,
    costs: COSTS,
};

const COSTS: Costs = Costs {
    compile: Cost::new(5e6, Status::Guess, "a shader of usual size; drivers differ"),
    launch: Cost::new(50_000.0, Status::Measured, "encode, submit and wait, on software drivers"),
    transfer: Cost::new(0.15, Status::Measured, "a mebibyte takes 0.1 to 0.2 ms on software drivers"),
    operation: Cost::new(1.0, Status::Guess, "a GPU as quick as the processor"),
    memory: Cost::new(0.1, Status::Guess, "as the processor"),
};
