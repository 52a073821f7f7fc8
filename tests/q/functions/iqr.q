% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print iqr([1,2,3,4])
% out: 2
