# test: assemble
# hex: 10020027159e7000 1002086715027d80 10040067159e7000 1006086715067d80 10020d27159e7000 10020d27159e7240
# hex: 10020827159e7900 100009e7009e7000 10020e27159e7000 10020d27159e7000 a00009e7009e7000 100009e7009e7000
# hex: 10020827159e7480 d00049e1809f4000 10021967159e7000 d00049e1809f0012 d00049e1809f4024 10020a27159e7000
# hex: 1002086715827d80 10020b27159e7000 1002086715aa7d80 e002092700000001 100009e7009e7000 10020f27159e7000
# hex: b00009e7009e7000 e0020c6700101a00 1002082715c27d80 300009e7009e7000 100009e7009e7000 100009e7009e7000
# Results that are not there yet.
mov ra0, r0
mov r1, ra0 # error[H01]: `ra0` is read in the instruction after its write and still has its old value
mov.ifz ra1, r0
mov.ifnz r1, ra1
mov recip, r0
mov recip, r1 # error[H04]: a second special function starts while the first is running
mov r0, r4 # error[H02]: r4 is read before the result of the special function is there
nop
mov t0s, r0
mov recip, r0
ldtmu0 # error[H03]: a load into r4 collides with the result of the special function
nop
mov r0, r2
mov r1, r0 >> 4 # warning[H06]: an accumulator is rotated right after its write; result lanes 0, 1, 2, 3 get the old value
mov r5rep, r0
mov r1, r2 >> r5 # error[H07]: the rotation amount r5 was written by the instruction before
mov r1, r4 >> 4 # warning[H08]: this operand rotates within its quads only, by the amount modulo 4
mov unif_addr, r0
mov r1, unif # error[H09]: a uniform is taken before the new uniform address has arrived
mov tlbz, r0
mov r1, ms_mask # error[H10]: ms_mask or rev_flag is read too early after the write of tlbz
mov tmurs, 1 # warning[H12]: tmurs is written after the first use of a TMU
nop
mov t1s, r0 # warning[H11]: a TMU is written too early after tmurs
ldtmu1
ldi vr_setup, 0x101a00
mov r0, vpm # warning[H13]: the VPM is read less than three instructions after the read setup
thrend
nop
nop
