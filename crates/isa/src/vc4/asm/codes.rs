//! The assembler's error codes.

use quadra_base::CodeEntry;

/// What `quadra explain` says about the assembler's messages. Broken hardware rules have their own numbers, in
/// [`hazard::RULES`](super::super::hazard::RULES).
pub const CODES: &[CodeEntry] = &[
    CodeEntry {
        code: "E0741",
        title: "the line is not assembly",
        explanation: "A character, number, operand list or directive is malformed. Operations of one instruction are joined \
                      by `;`, operands by `,`, destinations come first: `fadd r0, r1, ra2; fmul r3, r1, 2.0`.",
    },
    CodeEntry {
        code: "E0742",
        title: "unknown operation or directive",
        explanation: "The first word of an operation is an opcode, `mov`, `ldi`, `nop`, `read`, `brr`, `bra`, `sacq`, `srel`, \
                      a signal such as `ldtmu0`, or a macro defined above.",
    },
    CodeEntry {
        code: "E0743",
        title: "unknown name",
        explanation: "A name in an expression is a register, a symbol set with `.set` or `.const`, a function or a macro \
                      argument. Labels are written `:name`, relative to the branch `r:name`.",
    },
    CodeEntry {
        code: "E0744",
        title: "an operand of the wrong kind",
        explanation: "For example a constant as destination, a register in arithmetic, a register that cannot be read.",
    },
    CodeEntry {
        code: "E0745",
        title: "the operations do not fit into one instruction",
        explanation: "An instruction has one add and one mul operation, reads one register of each file, writes one register \
                      of each file, and has one signal, one small immediate, one pack and one unpack format. Split the line.",
    },
    CodeEntry {
        code: "E0746",
        title: "a value out of range",
        explanation: "Constants have 32 bits, per-lane constants two; data directives have the width they say.",
    },
    CodeEntry {
        code: "E0747",
        title: "a name is defined twice",
        explanation: "`.const` and labels are final; use `.set` for what changes, and numbers such as `:1` for labels that \
                      are used again (`r:1f` is the next one, `r:1b` the last).",
    },
    CodeEntry {
        code: "E0748",
        title: "a label that is not there, or moves",
        explanation: "The label is not defined in the program, or lies at different addresses in the two passes because the \
                      code before it depends on its address.",
    },
    CodeEntry {
        code: "E0749",
        title: "a block without beginning or end",
        explanation: "`.if` ends with `.endif`, `.rep` with `.endr`, `.foreach` with `.endfor`, `.macro` with `.endm`, `.func` \
                      with `.endf`, `.local` with `.endloc`, `.back` with `.endb`.",
    },
    CodeEntry {
        code: "E0750",
        title: "the wrong number of operands or arguments",
        explanation: "The help says what the operation, macro or function takes.",
    },
    CodeEntry {
        code: "E0751",
        title: "the program is too large to assemble",
        explanation: "Macros and functions nest at most 64 deep, loops and macros run at most a million lines, and the \
                      output has at most 4 MiB. A macro that calls itself without end raises this.",
    },
    CodeEntry {
        code: "E0752",
        title: "an assertion does not hold",
        explanation: "The expression of `.assert` is zero.",
    },
    CodeEntry {
        code: "E0753",
        title: "a file cannot be read or written",
        explanation: "`.include \"file\"` looks beside the including file, `.include <file>` in the include directories; \
                      `<vc4.qinc>` is built in.",
    },
    CodeEntry {
        code: "E0754",
        title: "an expression without a value",
        explanation: "Division by zero, a shift or an operation that its operands do not have.",
    },
    CodeEntry {
        code: "E0760",
        title: "suspicious assembly (warning)",
        explanation: "The line is legal but probably not what was meant: an integer constant in a float operation, a rotation \
                      of one operand that rotates both, `bra` with a relative label, flags of a sum whose constant is negated.",
    },
];
