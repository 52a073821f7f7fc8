# test: assemble round-trip
# hex: e012012700003c00 e02201670000c100 e02201a700004100 e06201e700000080 e012022700000005 e01202673f800000
# hex: e00202a73f800000 100009e715127d80 300009e7009e7000 100009e7009e7000 100009e7009e7000
# `mov` packs the constant that is meant: halves of floats, and colours where the suffix says so.
mov ra4.16a, 1.0
mov ra5.16b, -2.5
mov ra6.16bf, 2.5
mov ra7.8cf, 0.5
mov ra8.16a, 5
ldi ra9.16a, 1.0
mov ra10, 1.0
mov -, ra4
thrend
nop
nop
