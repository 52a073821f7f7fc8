# test: assemble
# hex: 100009e7009e7000 10020ba7159e7000 10021ca7159e7000 f00809e7ffffffe0 100009e7009e7000 f0f809e700000000
# hex: 100009e7009e7000 100009e7009e7000 100009e7009e7000 f0f4a9e700000000 100009e7009e7000 100009e7009e7000
# hex: 100009e7009e7000 f0f809e700000000 100009e7009e7000 100009e7009e7000 300009e7009e7000 100009e7009e7000
# hex: 100009e7009e7000 100009e7009e7000 300200e7159e7000 1002082715827d80 10020b27153a7d80 300009e7009e7000
# hex: 100009e7009f2000 100009e7009e7000
# Branches and the end of the program.
nop
mov tlbc, r0 # error[H49]: the scoreboard is used in the first two instructions
mov vw_addr, r0
:top
brr.allz -, r:top # error[H15]: a branch 2 instruction(s) after another branch
nop
brr -, r:end # error[H15]: a branch 2 instruction(s) after another branch
nop
nop
nop
:end
bra -, ra5 # warning[H16]: the branch uses ra5: with an odd number it sets the flags when taken
nop
nop
nop
brr -, r:last
nop
nop
thrend # warning[H18]: the program ends in the delay slots of a branch
:last
nop
nop
nop
mov ra3, r0; thrend # error[H20]: the instruction with the program end writes a register of file A or B
mov r0, unif # warning[H19]: a uniform or varying is read in the last three instructions
mov tlbz, ra14 # error[H21]: register 14 is accessed in the last three instructions # error[H22]: tlbz is written in the last instruction
thrend
read vw_wait # warning[H19]: VPM or DMA are accessed in the last three instructions
nop
