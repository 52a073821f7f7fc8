# test: assemble
# hex: 10020e27159e7000 10020e27159e7000 10020e27159e7000 10020e27159e7000 10020e27159e7000 a00009e7009e7000
# hex: a00009e7009e7000 a00009e7009e7000 a00009e7009e7000 a00009e7009e7000 b00009e7009e7000 10020f27159e7000
# hex: e0020c6700201a00 100009e7009e7000 100009e7009e7000 e0020c6700201a00 100009e7009e7000 100009e7009e7000
# hex: 100009e7009e7000 1002082715c27d80 1002082715c27d80 1002082715c27d80 10020ca7159e7000 10020ca7159e7000
# hex: e0020c6700101a00 100009e7009e7000 100009e7009e7000 100009e7009e7000 1002082715c27d80 100009e700ca7000
# hex: 10020ce7159e7000 100209e715ce7d80 100209e715ce7d80 300009e7009e7000 100009e7009e7000 100009e7009e7000
# Queues and locks.
.rep i, 5
mov t0s, r0 # error[H37]: TMU0 has more than 4 requests in flight
.endr
.rep i, 5
ldtmu0
.endr
ldtmu1 # warning[H38]: nothing was requested from TMU1; the QPU waits forever
mov t1s, r0
ldi vr_setup, 0x201a00
nop
nop
ldi vr_setup, 0x201a00 # warning[H40]: a VPM read setup is ignored while 2 vectors are not read yet
nop
nop
nop
mov r0, vpm
mov r0, vpm
mov r0, vpm # warning[H40]: more vectors are read from the VPM than the setup announced
mov vr_addr, r0
mov vr_addr, r0 # warning[H42]: a DMA load is started before the last one was waited for
ldi vr_setup, 0x101a00
nop
nop
nop
mov r0, vpm # warning[H44]: the VPM is read while a DMA load may still be writing it
read vr_wait
mov mutex, r0 # warning[H46]: the mutex is released by a QPU that does not own it
mov -, mutex
mov -, mutex # error[H46]: the mutex is acquired by a QPU that owns it already, and waits forever
thrend # warning[H38]: the program ends with results of TMU1 not collected
nop
nop
