% Compared with Octave, splines with scipy.interpolate, on the same numbers.
print compan([1,-3,2])
% out: [[3, -2],
% out:  [1, 0]]
