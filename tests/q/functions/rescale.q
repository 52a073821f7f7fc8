% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print rescale([1,2,3])
print rescale([5,5])
print rescale([1,2],-1,1)
% out: [0, 0.5, 1]
% out: [0, 0]
% out: [-1, 1]
