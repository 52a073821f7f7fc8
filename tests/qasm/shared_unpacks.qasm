# test: assemble
# hex: 1a0208270c0e7d80 120208670d127d80 140208a701167d80 d0325186979c5fff d03251c7959c7fff d0324223959d0fff
# hex: 10020267159e7000 1002428a959e7009 100202e7159e7000 e002086700000000 e002082700000001 e002082700000002
# hex: e002082700000003 e002082700000004 e002082700000005 e002082700000006 e002082700000007 300009e7009e7000
# hex: 100009e7009e7000 100009e7009e7000
# What is accepted with a warning, and constants that share a small immediate by way of a packed write.
add r0, ra3.8b, ra3 # warning[E0760]: `ra3` is unpacked as `.8b` here, too
sub r1, ra4, ra4.16a # warning[E0760]: `ra4` is unpacked as `.16a` here, too
fadd r2, ra5.16b, ra5 # warning[E0760]: `ra5` is unpacked as `.16b` here, too
mov ra6, 0x05050505; mov rb6, -6
mov rb7, 7; mov ra7, 0x07070707
mov ra8, 0xf0f0f0f0; mov r3, -16
.macro keep, to, also
.if also != nop
    mov to, r0; mov also, r1
.else
    mov to, r0
.endif
.endm
keep ra9, -
keep ra10, rb10
keep ra11, nop
mov r0, 1
mov r0, 2
mov r0, 3
mov r0, 4
mov r0, 5
mov r0, 6
mov r0, 7
.back 7
    mov r1, 0
.endb
thrend
nop
nop
.if 0 # warning[E0760]: `.if` is never closed: it goes on to the end
    add r0, r0, r0
