% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print sind([0,30,90,180,270,360,-30,45])
% out: [0, 0.5, 1, 0, -1, 0, -0.5, 0.707107]
