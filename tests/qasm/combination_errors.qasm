# test: assemble
add r0, r1, r2; sub r3, r1, r2 # error[E0745]: both operations need the add ALU
fmul r0, r1, r2; mul24 r3, r1, r2 # error[E0745]: both operations need the mul ALU
add r0, r1, r2; fmul r3, r1, r2; nop # error[E0745]: an instruction has one add and one mul operation
add ra1, r0, r0; fmul ra2, r0, r0 # error[E0745]: `ra2` and the other destination are both in register file A
add r0, ra1, ra2 # error[E0745]: `ra2` and `ra1` are both read from register file A
add r0, rb1, rb2 # error[E0745]: `rb2` and `rb1` are both read from register file B
add r0, r1, 3; ldtmu0 # error[E0745]: `ldtmu0` cannot be combined with a small immediate or a rotation
add r0, rb1, 3 # error[E0745]: the constant 3 cannot be combined with reading `rb1`
add r0, r1, 3; fmul r2, r1, 4.0 # error[E0745]: two small immediates, 3 and 4.0, in one instruction
add r0, r1, 99 # error[E0745]: 99 is no small immediate
ldtmu0; thrend # error[E0745]: an instruction has room for one signal
mov r0, r1; fmul.setf r2, r1, r1 # error[E0745]: the flags would come from the add operation beside it
ldi r0, 5; mov r1, r2 # error[E0745]: nothing can share an instruction with a load immediate
brr -, 0; nop # error[E0745]: nothing can share an instruction with a branch
sacq -, 3; ldtmu0 # error[E0745]: nothing can share an instruction with a semaphore instruction
mov r0, 99; mov r1, r2 # error[E0745]: no small immediate gives 99 here
