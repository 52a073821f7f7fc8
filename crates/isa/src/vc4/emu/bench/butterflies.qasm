# Butterflies over 16 lanes on 8 QPUs: lookups, rotations under conditions, a special function, columns of the VPM, one DMA
# store for all, semaphores between QPU 0 and the others. Uniforms: number, source, destination, iterations.
.include <vc4.qinc>
mov rb0, unif
mov ra1, unif
mov rb2, unif
mov ra3, unif
ldi ra4, 0.92387953
ldi rb4, 0.38268343
mov r0, rb0
shl r0, r0, 1
ldi r1, vpm_setup(0, 1, v32(0, 0))
add ra5, r0, r1
shl r1, elem_num, 3
mov r0, rb0
shl r0, r0, 7
add r0, r0, r1
add ra6, ra1, r0
ldi rb7, 1024
ldi ra9, 0
itof r2, elem_num
:again
mov exp, r2
mov r2, ra9
add r0, ra6, r2
add r1, r0, 4
mov t0s, r0
mov t0s, r1
mov r3, r4
add r2, r2, rb7
ldi r1, 0xffff
and ra9, r2, r1
ldtmu0
fadd r0, r4, r3; ldtmu0
mov r1, r4
.rep i, 4
and.setf -, elem_num, 1<<i
nop; fmul.ifnz r2, r1, rb4
nop; fmul.ifnz r3, r0, rb4
nop; fmul.ifnz r0, r0, ra4
fsub.ifnz r0, r0, r2; fmul.ifnz r1, r1, ra4
fadd.ifnz r1, r1, r3
nop
mov r2, r0 << (1<<i)
mov r3, r0 >> (1<<i)
fadd.ifz r0, r0, r2
fsub.ifnz r0, r3, r0
mov r2, r1 << (1<<i)
mov r3, r1 >> (1<<i)
fadd.ifz r1, r1, r2
fsub.ifnz r1, r3, r1
.endr
mov vw_setup, ra5
mov vpm, r0
mov vpm, r1
mov.setf r2, rb0
brr.allnz -, r:slave
nop
nop
nop
.rep i, 7
sacq -, 8
.endr
mov vw_setup, vdw_setup_0(16, 16, dma_h32(0, 0))
mov vw_setup, vdw_setup_1(0)
mov vw_addr, rb2
read vw_wait
.rep i, 7
srel -, i+1
.endr
brr -, r:next
nop
nop
nop
:slave
srel -, 8
shl ra8, r2, 5
nop
brr -, ra8
nop
nop
nop
.rep i, 8
brr -, r:next
sacq -, i
nop
nop
.endr
:next
sub.setf ra3, ra3, 1
brr.allnz -, r:again
itof r2, elem_num
nop
nop
mov irq, 1
thrend
nop
nop
