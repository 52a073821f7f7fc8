% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print nansum([1,NaN,2])
% out: 3
