# test: assemble round-trip
# `>> n` on a source brings element i to element i + n of the result; `<< n` is the other way.
mov r1, r0 >> 1
mov r2, r0 << 1
mov r3, r0 >> r5
fmul r1, r2 >> 4, r3 >> 4
mov r0 << 3, r2
or r0, -12, -12; mov r1, r3 >> 4
nop
mov r0, r1 >> 2
mov r2, r0 >> 1
fmul r0, r3 >> 4, r1 # warning[E0760]: the rotation of the other operand rotates this one too
fadd r0, r1 >> 1, r1 # warning[E0760]: the rotation of the other operand rotates this one too # error[E0745]: rotation works in the mul ALU only, which does not have this operation
mov r0, r1 >> 1; mov r2, rb3 # error[E0745]: a rotation cannot be combined with reading `rb3`
mov r0, r4 >> 1
thrend
nop
nop
