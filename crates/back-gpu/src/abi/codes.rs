//! Table of the error codes of shaders.

use quadra_base::CodeEntry;

/// What a GPU, or this back end, does not do.
pub(crate) const REFUSED: &str = "E0870";
/// A shader that naga refuses: a mistake of ours that must not reach a driver.
pub(crate) const INVALID: &str = "E0871";

/// E087x: kernels as shaders.
pub const CODES: &[CodeEntry] = &[
    CodeEntry {
        code: REFUSED,
        title: "a GPU does not run this kernel",
        explanation: "\
The kernel uses something that this GPU does not have, or that a shader could only compute with other roundings than the other
devices. The message names it. Run the kernel on the processor (`--device cpu`).",
    },
    CodeEntry {
        code: INVALID,
        title: "a shader that is not valid",
        explanation: "\
The compiler made a shader that its own check refuses. This is a mistake of the compiler: please report it with the kernel.",
    },
];
