% Compared with Octave, splines with scipy.interpolate, on the same numbers.
print blkdiag([1,2],[3])
% out: [[1, 2, 0],
% out:  [0, 0, 3]]
