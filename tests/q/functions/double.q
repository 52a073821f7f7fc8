% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print double([1,2])./2
% out: [0.5, 1]
