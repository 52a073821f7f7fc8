% Compared with Octave, splines with scipy.interpolate, on the same numbers.
print movmax([1,5,3,4],3)
% out: [5, 5, 5, 4]
