% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print nanmax([NaN,1,3])
% out: 3
