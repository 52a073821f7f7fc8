% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print mad([1,2,6])
% out: 2
