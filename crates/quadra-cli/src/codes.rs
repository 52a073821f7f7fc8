//! Table of the error codes of the command line.

use quadra_base::CodeEntry;

/// E0803 and up; those below are the shipped kernels'.
pub const TABLE: &[CodeEntry] = &[
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
        code: "E0807",
        title: "a kernel cannot be exported for a processor",
        explanation: "\
`quadra export --to object` writes what needs nothing of this process. A kernel that prints, whose workers wait for each other, or with
arrays of several axes or atomic operations other than sums, minima, maxima and bits of words cannot be had that way. `--to c`
exports kernels for QPUs.",
    },
    CodeEntry {
        code: "E0830",
        title: "a benchmark's own program failed",
        explanation: "\
`quadra bench host` writes small Quasar programs to a temporary directory and runs them with this same executable. The message
says what went wrong.",
    },
    CodeEntry {
        code: "E0831",
        title: "the cache on disk cannot be read or emptied",
        explanation: "\
The message gives the directory and the operating system's reason. `quadra doctor` says what is wrong with it; the variable
QUADRA_CACHE names another directory, and QUADRA_CACHE=off does without.",
    },
];
