# test: assemble round-trip emulate timing
# hex: 1002082715827d80 1002102715827d80 100208e715827d80 d002086711982dc0 100208270c9e7040 10020e27159e7000
# hex: e00208a700000000 e00200e700000040 d00208e70d9c17c0 a00208270c0e7180 10024e21359e7024 d00228e70d9c17c0
# hex: f0b809e7ffffffc8 100208a7019e7440 100009e7009e7000 100009e7009e7000 a00009e7009e7000 e0021c6700001a00
# hex: 10020c27159e7480 e0021c6780904000 e0021c67c0000000 10021ca7159c0fc0 100009e7009f2000 e00209a700000001
# hex: 300009e7009e7000 100009e7009e7000 100009e7009e7000
# run: src=floats(64) dst=zeros(16) n=3 == dst=[1280.0, 1379.0, ..]
# cycles: 588
# dst[lane] = sum over k < n of src[16 * k + lane]^2, one TMU request ahead; uniforms: src, dst, n.
.include <vc4.qinc>
mov r0, unif
mov rb0, unif
mov r3, unif
shl r1, elem_num, 2
add r0, r0, r1
mov t0s, r0
ldi r2, 0
ldi ra3, 64
sub r3, r3, 1
:loop
add r0, r0, ra3; ldtmu0
mov t0s, r0; fmul r1, r4, r4
sub.setf r3, r3, 1
brr.anync -, r:loop
fadd r2, r2, r1
nop
nop
ldtmu0
mov vw_setup, vpm_setup(0, 1, h32(0))
mov vpm, r2
mov vw_setup, vdw_setup_0(1, 16, dma_h32(0, 0))
mov vw_setup, vdw_setup_1(0)
mov vw_addr, rb0
read vw_wait
mov irq, 1
thrend
nop
nop
