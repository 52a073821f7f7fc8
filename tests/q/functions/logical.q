% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print logical([0,2])
% out: [0, 1]
