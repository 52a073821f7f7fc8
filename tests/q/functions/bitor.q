% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print bitor(12,10)
% out: 14
