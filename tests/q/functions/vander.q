% Compared with Octave, splines with scipy.interpolate, on the same numbers.
print vander([1,2,3])
% out: [[1, 1, 1],
% out:  [4, 2, 1],
% out:  [9, 3, 1]]
