% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print csc(pi/2)
% out: 1
