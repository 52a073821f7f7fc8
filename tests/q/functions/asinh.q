% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print asinh([0,1e-5,1,-100])
% out: [0, 1e-05, 0.881374, -5.29834]
