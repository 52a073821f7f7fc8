% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print atan2d(1,-1)
% out: 135
