% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print range([3,1,7])
% out: 6
