//! Table of the error codes of recording.

use quadra_base::CodeEntry;

pub(crate) const FOREIGN: &str = "E0901";
pub(crate) const SCOPE: &str = "E0902";
pub(crate) const NESTED: &str = "E0903";
pub(crate) const ENDLESS: &str = "E0904";
pub(crate) const POINTER: &str = "E0905";
pub(crate) const HOST: &str = "E0906";
pub(crate) const SHAPE: &str = "E0907";
pub(crate) const BINDING: &str = "E0908";
pub(crate) const VALUE: &str = "E0909";
pub(crate) const STRIDE: &str = "E0910";
pub(crate) const NUMBER: &str = "E0911";
pub(crate) const LEFT: &str = "E0912";

pub(crate) const ASSERT: &str = "E0913";
pub(crate) const ROWS: &str = "E0914";

/// A kernel in Rust that raises a code of this table, and in its last line what to do.
pub fn example(code: &str) -> Option<&'static str> {
    let parts = include_str!("examples.rs").split("// == ").skip(1);
    parts.filter_map(|part| part.split_once('\n')).find(|part| part.0 == code).map(|part| part.1.trim_end())
}

/// E09xx: a kernel written in Rust cannot be recorded.
pub const TABLE: &[CodeEntry] = &[
    CodeEntry {
        code: FOREIGN,
        title: "a kernel value of another recording",
        explanation: "\
Int, Float, Mask and Ptr are handles that live while one `#[kernel]` function is recorded. A value that was kept from an
earlier recording, in a static or a captured variable, means nothing in the next one. Keep host data (numbers, buffers)
outside kernels and make kernel values inside.",
    },
    CodeEntry {
        code: SCOPE,
        title: "a value left its control flow",
        explanation: "\
A value that was computed inside a kernel `if` or loop was used after it, but did not come out through a variable that the
kernel follows. Variables are followed by name: declare the variable before the `if` or loop and assign it inside. Values
that travel through thread locals or other hidden places are not followed.",
    },
    CodeEntry {
        code: NESTED,
        title: "a kernel is compiled inside another",
        explanation: "Recording one kernel cannot start another. Share code between kernels by `#[kernel_fn]` functions.",
    },
    CodeEntry {
        code: ENDLESS,
        title: "the recording does not end",
        explanation: "\
A Rust loop (over a Rust range, or on a Rust condition) runs while the kernel is recorded and is unrolled. This one ran too
long. Loop over `range(lo, hi, step)`, or on a condition of kernel values, to get a loop in the kernel.",
    },
    CodeEntry {
        code: POINTER,
        title: "a pointer into another buffer",
        explanation: "\
Which buffer a pointer points into must be known when the kernel is compiled. Under a kernel `if`, or from one iteration of
a kernel loop to the next, a pointer variable may get another index but not another buffer, because the lanes (or
iterations) would then point into different buffers. Use two pointers, and `select` between the loaded values.",
    },
    CodeEntry {
        code: HOST,
        title: "a Rust value changes under kernel control flow",
        explanation: "\
A variable of a Rust type (i32, f32, bool …) exists only while the kernel is recorded. A kernel `if` or loop is recorded
once, so a change of such a variable inside it would happen exactly once, in no lane's or iteration's order. Make it a
kernel variable: `let mut n = int(0)` or `let mut n: Int = 0`. A Rust variable that is declared inside the body is fine.",
    },
    CodeEntry {
        code: SHAPE,
        title: "a value changes its shape under kernel control flow",
        explanation: "\
A vector may not become longer or shorter, and an option may not become full or empty, under a kernel `if` or loop: the
number of kernel values in a variable must be known when the kernel is compiled.",
    },
    CodeEntry {
        code: BINDING,
        title: "a binding hides a change",
        explanation: "\
Something behind a binding without `mut` (a struct of references, a reference from a function) changed under kernel control
flow. Write `let mut name` so that the kernel can follow it.",
    },
    CodeEntry {
        code: VALUE,
        title: "a kernel `if` or loop gives a Rust value",
        explanation: "\
The two arms of an `if` on a kernel condition, or several `break`s and `return`s, give different Rust values. Lanes can
differ only in kernel values: convert with `int(…)` or `float(…)`.",
    },
    CodeEntry {
        code: STRIDE,
        title: "the stride changes under kernel control flow",
        explanation: "\
`set_read_stride` and `set_write_stride` hold for what is recorded after them, so they must stand outside kernel `if`s and
loops. Inside, use `load_strided` and `store_strided`.",
    },
    CodeEntry {
        code: NUMBER,
        title: "a number outside its range",
        explanation: "Semaphores are numbered 0 to 15, axes of an extent 0 to 2, counts must be positive.",
    },
    CodeEntry {
        code: LEFT,
        title: "Rust left a kernel's control flow early",
        explanation: "\
A `break` out of a labelled block, a `return` of a closure or a `?` stood under an `if` or in a loop whose condition is the
kernel's. Rust jumps once, while the kernel is recorded, but the lanes would have to part there. The kernel follows `break`,
`continue` and `return` out of loops and of functions marked `#[kernel]` or `#[kernel_fn]`: make the block such a function, or
compute its value with `if` and `else`.",
    },
    CodeEntry {
        code: ASSERT,
        title: "an assertion failed while the kernel was recorded",
        explanation: "\
An `assert!` in a kernel on Rust values is checked while the kernel is recorded, one on kernel values while it runs (E0605). This
one compares Rust values: parameters marked `#[host]`, constants, indices of Rust loops.",
    },
    CodeEntry {
        code: ROWS,
        title: "a table cannot change places with another buffer",
        explanation: "\
`swapping(a, b)` exchanges buffers between runs. A parameter `Ptr<Ptr<T>>` is called with a table: its elements, and where each row
begins. The rows of another table, or of a buffer, lie elsewhere. Call the kernel once for each run, with the tables in turn.",
    },
];
