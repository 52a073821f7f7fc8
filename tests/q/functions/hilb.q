% Compared with Octave, splines with scipy.interpolate, on the same numbers.
print hilb(2)
% out: [[1, 0.5],
% out:  [0.5, 0.333333]]
