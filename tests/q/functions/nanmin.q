% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print nanmin([NaN,4,3])
% out: 3
