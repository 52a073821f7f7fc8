# test: assemble
.endr # error[E0749]: `.endr` without the directive that opens the block
.else # error[E0749]: `.else` without the directive that opens the block
.rep i, -1 # error[E0746]: the count of `.rep` is -1, but must lie in 0 to 9223372036854775807
.endr
.macro m, a
    add r0, a, 99 # error[E0745]: 99 is no small immediate
.endm
m 1, 2 # error[E0750]: the macro `m` takes 1 argument(s), not 2
m r1
.const c, 1
.const c, 2 # error[E0747]: `c` is a constant and defined already
.macro loop
    loop # error[E0751]: macros, functions and includes are nested more than 64 deep
.endm
loop
.rep i, 2
    nop
.endif # error[E0749]: `.endif` closes a block that `.rep` opened # error[E0749]: `.endif` without the directive that opens the block
.rep i, 2 # error[E0749]: `.rep` is never closed
