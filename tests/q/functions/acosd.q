% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print acosd(0.5)
% out: 60
