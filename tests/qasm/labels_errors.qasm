# test: assemble
:twice
nop
:twice # error[E0747]: the label `twice` is defined twice
brr -, r:nowhere # error[E0748]: there is no label `nowhere`
brr -, r:twise # error[E0748]: there is no label `twise`
brr -, r:1f # error[E0748]: there is no label `1f`
brr -, r0 # error[E0744]: a branch target is a register ra0 to ra31, a label or a number
bra -, r:twice # warning[E0760]: an absolute branch with a relative label goes to the label's address
brr # error[E0750]: a branch takes one or two destinations and one or two targets, not 0 operands
twice: nop # error[E0747]: the label `twice` is defined twice
