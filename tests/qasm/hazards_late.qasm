# test: assemble
# hex: 10020e27159e7000 a00009e7009e7000 e002092700000001 100009e7009e7000
# What needs the whole program: TMU balancing after use, a missing end.
mov t0s, r0
ldtmu0
mov tmurs, 1 # warning[H12]: tmurs is written after the first use of a TMU
nop # warning[H23]: execution runs past the last instruction
