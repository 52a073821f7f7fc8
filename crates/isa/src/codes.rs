//! Table of the error codes of this crate.

use quadra_base::CodeEntry;

/// E072x: the emulator's memory and images.
pub const TABLE: &[CodeEntry] = &[
    CodeEntry {
        code: "E0720",
        title: "memory regions do not fit",
        explanation: "\
The emulated memory consists of regions that begin at multiples of 4 bytes, end below 2^32 and do not overlap. The message
names the regions.",
    },
    CodeEntry {
        code: "E0721",
        title: "image file cannot be read or written",
        explanation: "\
An image is a JSON file and a file with the same stem and the ending .bin, which holds the contents of the segments. Both
must be readable; the message names the file and what the operating system said.",
    },
    CodeEntry {
        code: "E0722",
        title: "image is malformed",
        explanation: "\
The JSON file of an image gives `threads` (a list of {pc, unif}, byte addresses, one per QPU, at most 12), `segments` (a list
of {name, addr, off, nbytes}: nbytes bytes at byte off of the .bin file, loaded at address addr) and optionally
`zero_segments` (a list of {addr, nbytes}). All numbers are unsigned integers, addresses have 32 bits, and all segments
together hold at most 1 GiB. An example is in the book, chapter \"Images:
programs as files\".",
    },
    CodeEntry {
        code: "E0723",
        title: "emulated program stopped",
        explanation: "\
The program did something that hardware does not forgive, waits for something that never comes, or used up its budget of
instructions. The message names the QPU, the instruction and, where it applies, the lane, the address and in brackets the
number of the broken rule.",
    },
    CodeEntry {
        code: "E0790",
        title: "matrix product of this shape is not available",
        explanation: "\
The hand-written matrix products compute C = alpha A B + beta C in blocks: rows of A in multiples of 16, columns of B in
multiples of 64 (48 for the broadcasting version), 4 to 1,048,576 columns of A, at most 16,320 columns of B, on 1 to 12
QPUs. The matrices must have the sizes of the plan.",
    },
];
