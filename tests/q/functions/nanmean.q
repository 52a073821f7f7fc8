% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print nanmean([1,NaN,3])
% out: 2
