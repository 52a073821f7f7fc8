% Compared with Octave, splines with scipy.interpolate, on the same numbers.
print perms([1,2,3])
% out: [[3, 2, 1],
% out:  [3, 1, 2],
% out:  [2, 3, 1],
% out:  [2, 1, 3],
% out:  [1, 3, 2],
% out:  [1, 2, 3]]
