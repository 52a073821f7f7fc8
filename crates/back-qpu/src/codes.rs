//! Table of the error codes of the QPU back end.

use quadra_base::CodeEntry;

/// E05xx: a kernel cannot be turned into a QPU program.
pub const TABLE: &[CodeEntry] = &[
    CodeEntry {
        code: "E0501",
        title: "a kernel that the QPU cannot run",
        explanation: "\
The kernel reached the QPU back end with something that the VideoCore IV has no instructions for and no pass had
expanded: 64-bit numbers, requests of or atomic operations on elements of 8 or 16 bits, shared arrays that are too large, groups of more than 16 items, or an access mode that should have become index arithmetic. The message names the operation. Use another type, or
another device.",
    },
    CodeEntry {
        code: "E0502",
        title: "register allocation found no place",
        explanation: "\
Values that find no register are spilled to rows of the VPM and then to memory, so no kernel is too large. This message
means that not even the spill code's own values found registers, which is a bug in Quadra. Please report the kernel.",
    },
    CodeEntry {
        code: "E0503",
        title: "loads that cannot go through a TMU",
        explanation: "\
Every load was asked to go through the TMUs (`--loads tmu`, `loads(Loads::Tmu)`), but the launch may store to the buffer that
is loaded. Stores go to memory past the caches behind the TMUs, which would go on returning what was there before. Only a
plain loop over rows, whose stores belong to rows that are loaded no more, is known to be safe. Leave the choice to the
compiler, which loads such buffers through the VPM, or write to another buffer than is read.",
    },
    CodeEntry {
        code: "E0504",
        title: "an operation that no instruction does",
        explanation: "\
The compiler made an operation whose operands exclude each other, as two registers of one file do, and looked before it began to
search an instruction for it in vain. This is a bug in Quadra. Please report the kernel; with `-O 1` it may compile.",
    },
];
