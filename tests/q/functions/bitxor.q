% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print bitxor(12,10)
% out: 6
