% Compared with Octave, splines with scipy.interpolate, on the same numbers.
print movmedian([1,9,3,4],3)
% out: [5, 3, 4, 3.5]
