% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print erfinv([0,0.5,-0.9,0.999,1,-1,2])
% out: [0, 0.476936, -1.16309, 2.32675, Inf, -Inf, NaN]
