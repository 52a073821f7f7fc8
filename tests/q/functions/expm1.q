% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print expm1([0,1e-7,0.5,2,-3,-inf,inf])
% out: [0, 1e-07, 0.648721, 6.38906, -0.950213, -1, Inf]
