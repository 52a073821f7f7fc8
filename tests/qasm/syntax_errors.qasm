# test: assemble
ad r0, r1, r2 # error[E0742]: there is no operation `ad`
add r0, r1 # error[E0750]: `add` takes a destination and 2 operand(s), not 1
add r0 r1, r2 # error[E0741]: this does not belong here
add r0, r1, r2, r3 # error[E0750]: `add` takes a destination and 2 operand(s), not 3
mov r4, r0 # error[E0744]: r4 cannot be written
mov r5, r0 # error[E0744]: a write to r5 must say how it fills the quads
mov elem_num, r0 # error[E0744]: this register cannot be written
mov r0, recip # error[E0744]: this register cannot be read
mov r0, elemnum # error[E0743]: `elemnum` is not defined
add 1, r0, r0 # error[E0744]: the destination must be a register, not an integer
ldi r0, 1 + # error[E0741]: an expression is missing here
ldi r0, (1 # error[E0741]: expected `)` to close the parenthesis
ldi r0, 0x1ffffffff # error[E0746]: this constant has more than 32 bits
ldi r0, 12ab # error[E0741]: `12ab` is not a number
ldi r0, 08 # error[E0741]: `08` is not an integer of base 8
ldi r0, r1 # error[E0744]: expected a constant, not a register
ldi r0, [1, 2] # error[E0750]: a list per lane has 16 values, this one 2
add.foo r0, r1, r2 # error[E0741]: unknown extension `.foo`
mov r0.foo, r1 # error[E0741]: unknown suffix `.foo`
fadd r0, r1, 1 # warning[E0760]: the integer 1 is an operand of a float operation
.foo 1 # error[E0742]: there is no directive `.foo`
.align 3 # error[E0746]: an alignment is a power of two
.byte 300 # error[E0746]: the value does not fit into 8 bits
.assert 0 # error[E0752]: the assertion does not hold
.include <none.qinc> # error[E0753]: cannot include `none.qinc`
.set x, 1 / 0 # error[E0754]: division by zero
vpm_setup 1 # error[E0742]: there is no operation `vpm_setup`
mov r0, vpm_setup(1, 1, 0) # error[E0743]: `vpm_setup` is not defined
$ # error[E0741]: unexpected character `$`
"open # error[E0741]: this string does not end
sacq -, r0 # error[E0744]: a semaphore is given by its number 0 to 15, not by a register
fields raddr_c=1 # error[E0743]: there is no field `raddr_c`
fields raddr_b=64 # error[E0746]: `raddr_b` has 6 bit(s)
fields cond_br=1 # error[E0745]: this instruction has no field `cond_br`
