% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print zscore([1,2,3])
% out: [-1, 0, 1]
