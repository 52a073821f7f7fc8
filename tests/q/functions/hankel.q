% Compared with Octave, splines with scipy.interpolate, on the same numbers.
print hankel([1,2,3])
print hankel([1,2],[2,7])
% out: [[1, 2, 3],
% out:  [2, 3, 0],
% out:  [3, 0, 0]]
% out: [[1, 2],
% out:  [2, 7]]
