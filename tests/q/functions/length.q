% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print length([[1,2,3],[4,5,6]])
print length([])
% out: 3
% out: 0
