# test: assemble
mov r0, rb0.8a # error[E0745]: `rb0` cannot be unpacked
add r0, ra0.8dr, ra0 # warning[E0760]: `ra0` is unpacked as `.8dr` here, too
mov r0, ra0.16b; mov r1, ra0.8a # error[E0745]: two different unpack formats in one instruction
mov.pack16a r0, r1 # error[E0745]: `r0` cannot be written in 16-bit or saturated form
add ra1.8c, ra1.8c, ra1.8c; mov.ifnn rb0, r2 << 2
add r0, r4.16ai, r1 # error[E0745]: r4 cannot be unpacked to integers
fadd r0, ra1.16ai, r1 # error[E0745]: this operation takes floats, so the operand is unpacked to a float
mov ra0.8a, r0; fmul ra1.8bsf, r0, r0 # error[E0745]: `ra1` and the other destination are both in register file A
fadd ra1.16a, r4.8a, r0 # error[E0745]: pack and unpack exclude each other here
mov ra0.8dr, r0 # error[E0745]: `ra0` cannot be written in this format
mov ra0.99, r0 # error[E0741]: unknown suffix `.99`
