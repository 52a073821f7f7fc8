% Compared with Octave, splines with scipy.interpolate, on the same numbers.
print movmin([1,5,3,4],3)
% out: [1, 1, 3, 3]
