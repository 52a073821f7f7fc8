//! Table of the error codes of the compiler's middle part.

use quadra_base::CodeEntry;

/// The code of semaphores and a mutex that every launch leaves behind.
pub(crate) const LEFT: &str = "E0424";

/// E040x: how the compiler was asked. E041x: what the passes cannot do. E042x: the queue of requests.
pub const TABLE: &[CodeEntry] = &[
    CodeEntry {
        code: "E0401",
        title: "unknown pass",
        explanation: "The name after `--after` is not that of a pass. The message lists the passes in their order.",
    },
    CodeEntry {
        code: crate::fission::UNEVEN,
        title: "groups of a size that no device runs",
        explanation: "\
Items of a group run 16 at a time, so a group has a multiple of 16 items, and at most 65536. A launch has whole groups.",
    },
    CodeEntry {
        code: crate::fission::RETURNS,
        title: "items return from within a loop of a kernel with barriers",
        explanation: "\
Between two barriers the items of a group run in a loop, 16 at a time. An item that returns under an `if` skips the rest of its
iteration; from within a loop of its own it cannot. Leave the loop by `break` and put what follows it under an `if`.",
    },
    CodeEntry {
        code: "E0410",
        title: "a group of this shape cannot run on 16 lanes",
        explanation: "\
The target runs 16 lanes in step, so the groups of a kernel must have 16 items along the innermost axis and one along the
others.",
    },
    CodeEntry {
        code: "E0411",
        title: "an operation that the target does not have",
        explanation: "\
Workers that wait for each other, or order their stores, need semaphores, a mutex and fences, which not every target has. Run the
kernel on another device, or make two launches of it.",
    },
    CodeEntry {
        code: "E0420",
        title: "more requests than the queue holds",
        explanation: "\
At most 4 gathers may wait for their receive; a fifth would stop the machine for ever. Receive earlier, or request later:

    gather(p); gather(q); gather(r); gather(s);
    receive(&mut a);          // makes room
    gather(t);",
    },
    CodeEntry {
        code: "E0421",
        title: "a receive without a request",
        explanation: "On some path to this `receive` every `gather` has already been received.",
    },
    CodeEntry {
        code: "E0422",
        title: "requests differ between two ways through the kernel",
        explanation: "\
After an `if`, and at the start of each iteration of a loop, the number of waiting requests must be the same whichever way
the kernel went; otherwise nobody can tell which `receive` belongs to which `gather`. Request and receive in both arms or
in none, and as often within an iteration as one was taken from the iteration before.",
    },
    CodeEntry {
        code: "E0423",
        title: "requests are left at the end of the kernel",
        explanation: "\
Every `gather` needs its `receive` before the kernel ends, also the one that was made ahead of an iteration that did not
come: receive it behind the loop.",
    },
    CodeEntry {
        code: "E0424",
        title: "a semaphore or the mutex is always left behind",
        explanation: "\
Whatever the number of workers and the data, this kernel ends with a semaphore above 0 or with the mutex held. Nothing on
the chip sets them back between launches, so a later launch stops. Decrement as often as you increment, over all workers,
and unlock on every path. Where it depends on the data, the emulated chip and the interpreters find it when a launch ends.",
    },
];
