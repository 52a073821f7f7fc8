% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print rad2deg(pi)
% out: 180
