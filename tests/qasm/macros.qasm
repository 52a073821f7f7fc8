# test: assemble round-trip
# hex: e002082700000014 e00208673f800000 e002086740000000 e002002700000000 e002102700000000 e002012700000000
# hex: e002016700000004 e00201a700000008 10020067159e7000 10021067159e7000 1002022715827d80 d00248224c9c81ff
# hex: 10020827159e7240 100009e7009e7000 100208a7159e76c0 300009e7009e7000 100009e7009e7000 100009e7009e7000
# Functions, macros, loops and conditions are evaluated while assembling.
.set twice(x) x * 2
.func pick(c)
    .if c > 3
        1.0
    .else
        2.0
    .endif
.endf
.macro clear, a, b
    mov a, 0
    mov b, 0
.endm
ldi r0, twice(twice(5))
ldi r1, pick(4)
ldi r1, pick(2)
clear ra0, rb0
.rep i, 3
    ldi ra4 + i, i * 4
.endr
.foreach reg, ra1, rb1
    mov reg, r0
.endfor
.local
    .lset count, ra8
    mov count, unif
.endloc
.ifset count
    never assembled
.endif
add r0, r0, 8;
;mov r2, 64
mov r0, r1
mov r2, r3
.back 1
    nop
.endb
thrend
nop
nop
