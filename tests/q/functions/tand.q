% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print tand([0,45,180])
% out: [0, 1, 0]
