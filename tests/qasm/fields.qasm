# test: assemble round-trip
# hex: 100009e7009e7607 100288270c9e7280 10020827079e7200 e80249e700000003 e80009e70000ff03 f5f849e700000010
# hex: 100009e7009e7000 100009e7009e7000 100009e7009e7000 10000827159e7240 100009e700826000 300009e7009e7000
# hex: 100009e7009e7000 100009e7009e7000
# What the operations do not determine can be set by name.
nop; fields add_a=3, mul_b=7
add r0, r1, r2; fields cond_mul=2
ftoi r0, r1; fields add_b=0
srel -, -, 3
srel -, 0xff03
brr -, 16; fields unused=5, raddr_a=2
nop
nop
nop
mov.never r0, r1
read ra32; fields raddr_b=38
thrend
nop
nop
