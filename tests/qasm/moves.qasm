# test: assemble round-trip
# hex: e002082700000005 e002082712345678 e00240423fc00000 e6020827ccccaaaa d0024821959c5fd2 d0024860559c84bf
# hex: a0020827169e7000 d00248e2909c1fff 100200e715827d80 100250c3950c3dbf e002082700000001 10040827151e7d80
# hex: 10060827159c7fc0 12020067030a7d80 100009e7009e7000 10021967159e7000 300009e7009e7000 100009e7009e7000
# hex: 100009e7009e7000
# A constant alone is a load immediate; beside another operation it is made from a small immediate.
mov r0, 5
mov r0, 0x12345678
mov ra1, rb2, 1.5
mov r0, [0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3]
mov r0, 5; mov r1, r2
mov r1, r2; mov r0, 64
mov r0, 0; ldtmu0 # warning[H38]: nothing was requested from TMU0; the QPU waits forever
mov r3, 0x80000000; mov r2, 1
mov ra3, unif
mov rb3, ra3; mov ra3, rb3 # error[H01]: `ra3` is read in the instruction after its write and still has its old value
mov r0, 1
mov.ifz r0, ra7
mov r0.nz, rb7
mov ra1, ra2.16af
nop
mov r5rep, r0; nop
thrend
nop
nop
