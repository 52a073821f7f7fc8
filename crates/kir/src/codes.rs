//! The error codes of kernel texts and of the checker: what `quadra explain` prints.

use quadra_base::CodeEntry;

/// All codes, in order.
pub const CODES: &[CodeEntry] = &[
    CodeEntry {
        code: "E0301",
        title: "the text of a kernel cannot be read",
        explanation: "The text form of the kernel IR is described in the documentation of `quadra_kir::parse`. The message \
says what was found and what is wanted there.\n\n    kernel @f() simt { %x = ad 1, 2 }     ; there is no instruction `ad`",
    },
    CodeEntry {
        code: "E0302",
        title: "unknown name",
        explanation: "A value is visible from its definition to the end of the region that defines it. To use a value from \
inside an `if` or a loop behind it, pass it on with `yield` or `break` and name the instruction's result.\n\n    \
%y = if %c { %x = add %a, 1  yield %x } else { yield %a }",
    },
    CodeEntry {
        code: "E0303",
        title: "a name or value is defined twice",
        explanation: "Values are defined once. Give the second one another name; for something that changes in a loop use a \
carried value: `loop (%i: i32 = 0) { … continue %next }`.",
    },
    CodeEntry {
        code: "E0304",
        title: "operands of the wrong number or type",
        explanation: "The operands of an operation have one element type. Convert with `to.i32`, `to.f32`, `to.i64`, \
`to.f64`, or reinterpret bits with `bits.i32` and `bits.f32`.\n\n    %x = add %i, 1.5      ; an i32 and an f32",
    },
    CodeEntry {
        code: "E0305",
        title: "a value is used where it is not defined",
        explanation: "A value may be used after its definition, in the same region or in regions within it. A front end or \
pass that moves an instruction must move it behind the definitions of its operands.",
    },
    CodeEntry {
        code: "E0306",
        title: "a region does not end as it must",
        explanation: "A region ends with exactly one terminator: the kernel's body with `return`; the regions of an `if` with \
`yield`, `return`, or inside a loop `break` and `continue`; the body of a `for` with `yield` or the same; the body of a \
`loop` with `continue`, `break` or `return`; the body of an `each` with `yield`.",
    },
    CodeEntry {
        code: "E0307",
        title: "a region does not fit its instruction",
        explanation: "What `yield`, `break` and `continue` pass on must fit, in number and type, the results of the \
instruction or the carried values of the loop. At SIMD level one value for all lanes may be passed on where one per lane \
is wanted.",
    },
    CodeEntry {
        code: "E0308",
        title: "not allowed at this level",
        explanation: "At SIMT level control flow may differ between lanes, there are small vectors and variables, and no \
masks. At SIMD level control flow is scalar, a value is one element for all lanes or one per lane (`<i32>`), and memory \
operations and votes take a mask. The pass `mask` leads from one to the other.",
    },
    CodeEntry {
        code: "E0309",
        title: "a buffer is used in a way that its declaration excludes",
        explanation: "A buffer declared `r` is only read, one declared `w` is only written; atomics need `rw`.\n\n    \
kernel @f(%p: buf<i32, r>) simt { store %p[0], 1 }      ; %p is declared for reading",
    },
    CodeEntry {
        code: "E0310",
        title: "results of the wrong number or type",
        explanation: "The results of an instruction follow from its operands; those of an `if` from what its regions yield, \
those of a `loop` from its `break`s, those of a `for` from its carried values.",
    },
    CodeEntry {
        code: "E0311",
        title: "barrier in divergent control flow",
        explanation: "A barrier waits for all items of a group, so all of them must come by it. It may not stand where only \
some of them arrive: under a condition that differs between the items, in a loop that they leave at different times, or \
behind a `return` that only some of them take.\n\n    %c = cmp.lt %i, 5\n    if %c { barrier }      ; items 5 to 15 never \
arrive\n\nMove the barrier out of the branch, or branch on something that is the same for the whole group.",
    },
    CodeEntry {
        code: "E0312",
        title: "a subgroup-wide operation in divergent control flow",
        explanation: "Semaphores, the mutex and the request queue act once for all 16 lanes, so they may only stand where \
the lanes are together. Branch on a vote (`vote.any`, `vote.all`) instead of a per-lane condition, or move the operation \
out of the branch.",
    },
    CodeEntry {
        code: "E0313",
        title: "an exchange between lanes of a value that only some lanes have",
        explanation: "`rotate` and `broadcast` read other lanes' values, live or not. Their operand must be a value that \
every lane has: defined where the lanes are together, or the same in all lanes, or computed by pure operations from such \
values. A value loaded or merged inside a per-lane branch is not.\n\n    if %c { %x = load %p[%i]  %y = rotate %x, 1 }      \
; dead lanes have no %x\n\nCompute the operand before the branch.",
    },
    CodeEntry {
        code: "E0314",
        title: "semaphores or the mutex in a kernel that is not concurrent",
        explanation: "Workers may run one after another unless the kernel is marked `concurrent`; one that waits for another \
would then wait for ever.",
    },
    CodeEntry {
        code: "E0316",
        title: "a kernel's header is not possible",
        explanation: "A group has 1 to 65536 items and at most as many axes as the extent; a kernel that runs once per \
worker (`over` = 0) has groups of 16. A shared array has a size along each axis.",
    },
];

#[cfg(test)]
mod tests {
    use super::CODES;

    #[test]
    fn codes_are_in_order_and_explained() {
        assert!(CODES.windows(2).all(|w| w[0].code < w[1].code));
        assert!(CODES.iter().all(|c| !c.title.is_empty() && c.explanation.len() > 40));
    }
}
