% Compared with Octave, splines with scipy.interpolate, on the same numbers.
print issorted([1,2,2])
print issorted([2,1])
print issorted([])
% out: 1
% out: 0
% out: 1
