# test: assemble
# hex: f0f8002700000040 100009e7009e7000 100009e7009e7000 100009e7009e7000 ffffffff00000001 123456789abcdef0
# hex: 0000000004030201 3f0000003f800000 00007bffc0003c00 3ff0000000000000 0000000000000005 0000006000000000
# hex: e002082700000060 300009e7009e7000 100009e7009e7000 100009e7009e7000
:code
brr ra0, r:after
nop
nop
nop
.int 1, -1
.long 0x123456789abcdef0
.byte 1, 2, 3
.short 4
.align 8
.float 1.0, 0.5
.half 1.0, -2.0, 65504.0, 0.0
.double 1.0
.bit 1, 0, 1
.align 8
.int :code, :after
:after
mov r0, :after - :code
.global size, :after - :code
thrend
nop
nop
