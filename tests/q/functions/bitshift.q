% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print bitshift(1,4)
print bitshift(16,-2)
% out: 16
% out: 4
