//! Table of the error codes of the command line and the shipped kernels.

use quadra_base::CodeEntry;

/// E08xx.
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
    CodeEntry {
        code: "E0803",
        title: "a random kernel does not do the same everywhere",
        explanation: "\
`quadra fuzz` found a kernel for which the interpreter, a pass or the emulated words disagree, and prints the smallest such
kernel it could find. This is a bug in Quadra; please report the kernel.",
    },
    CodeEntry {
        code: "E0804",
        title: "a file cannot be read",
        explanation: "The message gives the operating system's reason. Check the path and the permissions.",
    },
    CodeEntry {
        code: "E0830",
        title: "a benchmark's own program failed",
        explanation: "\
`quadra bench host` writes small Quasar programs to a temporary directory and runs them with this same executable. The message
says what went wrong.",
    },
];
