% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print single(3)/2
% out: 1.5
