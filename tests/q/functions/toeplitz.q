% Compared with Octave, splines with scipy.interpolate, on the same numbers.
print toeplitz([1,2,3])
print toeplitz([1,2],[1,5,6])
% out: [[1, 2, 3],
% out:  [2, 1, 2],
% out:  [3, 2, 1]]
% out: [[1, 5, 6],
% out:  [2, 1, 5]]
