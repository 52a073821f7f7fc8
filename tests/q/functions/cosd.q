% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print cosd([0,60,90,180])
% out: [1, 0.5, 0, -1]
