% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print bitand(12,10)
% out: 8
