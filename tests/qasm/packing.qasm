# test: assemble round-trip
# hex: 1202082701067c40 140208270c067c40 1602082715067d80 1a0208270c067c40 1d020827019e7840 102201e7159e7000
# hex: 101201e7019e7040 108202270c9e7040 10b20267129e7040 10720267139e7040 114049e2209e7001 113049e2209e7001
# hex: 10b250c3219e7041 101059c3409e7001 e012006700012345 190208270c0a7980 10420127159e7000 300009e7009e7000
# hex: 100009e7009e7000 100009e7009e7000
# Suffixes of operands unpack, suffixes of destinations pack.
fadd r0, ra1.16a, r1
add r0, ra1.16b, r1
mov r0, ra1.8dr
add r0, ra1.8b, r1
fadd r0, r4.8c, r1
mov ra7.16b, r0
fadd ra7.16a, r0, r1
add ra8.32s, r0, r1
min ra9.8888s, r0, r1
max ra9.8d, r0, r1
fmul r2.8asf, r0, r1
fmul r2.8888sf, r0, r1
fadd rb3, r0, r1; fmul ra3.8888s, r0, r1
mul24 ra3.16a, r0, r1
ldi ra1.16a, 0x12345
add.unpack8af r0, r4, ra2
mov.pack8a ra4, r0
thrend
nop
nop
