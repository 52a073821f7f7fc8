% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print kurtosis([1,2,6,9])
% out: 1.43783
