% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print isfinite([1,inf,NaN])
% out: [1, 0, 0]
