% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print cbrt(27)
% out: 3
