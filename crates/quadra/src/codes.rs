//! Table of the error codes of the shipped kernels.

use quadra_base::CodeEntry;

/// E0801 and E0802.
pub const TABLE: &[CodeEntry] = &[
    CodeEntry {
        code: "E0801",
        title: "no shipped kernel has this name",
        explanation: "`quadra kernels` lists the kernels that come with Quadra. A file with kernel IR is named with its ending .kir.",
    },
    CodeEntry {
        code: "E0802",
        title: "a workload's result differs from plain Rust",
        explanation: "\
Every workload of a shipped kernel compares what the device computed with the same computation in plain Rust. A kernel
that is launched on a number of QPUs it is not written for may differ; otherwise this is a bug in Quadra.",
    },
];
