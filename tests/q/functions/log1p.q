% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print log1p([0,1e-7,0.5,1e10,-1,inf,-2,NaN])
% out: [0, 1e-07, 0.405465, 23.0259, -Inf, Inf, NaN, NaN]
