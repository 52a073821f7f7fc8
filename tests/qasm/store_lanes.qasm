# test: assemble round-trip emulate timing
# hex: 1002082715827d80 1002086715827d80 e0021c6700001a00 d00208a711982dc0 10020c270c9e7280 e0021c6780904000
# hex: e0021c67c0000000 10021ca7159e7000 100009e7009f2000 e00209a700000001 300009e7009e7000 100009e7009e7000
# hex: 100009e7009e7000
# run: out=zeros(16) a=100 == out=[100, 104, 108, 112, ..]
# cycles: 208
# out[i] = a + 4 * i through one VPM row and one DMA store; uniforms: out, a.
.include <vc4.qinc>
mov r0, unif
mov r1, unif
mov vw_setup, vpm_setup(0, 1, h32(0))
shl r2, elem_num, 2
add vpm, r1, r2
mov vw_setup, vdw_setup_0(1, 16, dma_h32(0, 0))
mov vw_setup, vdw_setup_1(0)
mov vw_addr, r0
read vw_wait
mov irq, 1
thrend
nop
nop
