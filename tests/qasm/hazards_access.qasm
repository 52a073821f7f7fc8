# test: assemble
# hex: 100248202c9e728a 100948202c9e728a 10024e34959e7009 a0020827159e7900 114049f0209e7001 10040c27159e7000
# hex: 100409a7159e7000 e0020c6700101a00 100009e7009e7000 100009e7009e7000 100009e7009e7000 10024c71959e7000
# hex: 10021c6715c27d80 e8020d2700000003 100009e7009e7000 100009e7009e7000 10020e6715827d80 10020e27159e7000
# hex: a00009e7009e7000 10120827159e7000 100208270c820dc0 100009e715ce7d80 e00209a700000000 300009e7009e7000
# hex: 100009e7009e7000 100009e7009e7000
# Accesses that exclude each other within one instruction.
add r0, r1, r2; fmul r0, r1, r2 # error[H24]: both ALUs write `r0`
add.ifn r0, r1, r2; fmul.ifnn r0, r1, r2
mov t0s, r0; mov recip, r1 # error[H25]: TMU write and SFU write in one instruction
mov r0, r4; ldtmu0 # error[H02]: r4 is read before the result of the special function is there # error[H03]: a load into r4 collides with the result of the special function
fmul vpm.8asf, r0, r1 # warning[H26]: a single packed byte is written to a peripheral
mov.ifz vpm, r0 # error[H27]: the write to `vpm` happens whatever the condition says, with undefined lanes
mov.ifz irq, r0
ldi vr_setup, 0x101a00
nop
nop
nop
mov vr_setup, r0; mov vw_setup, r0 # warning[H28]: the VPM read and write setup are written together
mov vw_setup, vpm # warning[H28]: the VPM is read in the instruction that writes a setup
srel recip, 3 # error[H25]: SFU write and semaphore in one instruction # error[H29]: a semaphore instruction writes TLB, TMU or SFU
nop
nop
mov t0t, unif # error[H30]: a texture coordinate takes a uniform in an instruction that reads one
mov t0s, r0
ldtmu0
mov ra1, r0; fields pack=1, waddr_add=32 # warning[H34]: the format `16a` is asked for, but no register of file A is written
add r0, ra32, rb32 # error[H36]: both read ports take from the uniform stream
mov.never -, mutex # warning[H47]: the mutex is read by an operation that never executes, which may not acquire it
ldi irq, 0 # error[H48]: the host interrupt is written with zero, which raises none
thrend
nop
nop
