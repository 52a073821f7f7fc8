% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print atand(1)
% out: 45
