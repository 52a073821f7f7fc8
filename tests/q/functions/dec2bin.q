% Compared with Octave, splines with scipy.interpolate, on the same numbers.
print dec2bin(5,8)
print dec2bin(0)
% out: 00000101
% out: 0
