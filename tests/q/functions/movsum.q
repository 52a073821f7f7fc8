% Compared with Octave, splines with scipy.interpolate, on the same numbers.
print movsum([1,2,3,4],3)
print movsum([1,2,3,4],2)
print movsum([1,2,3,4],[0,2])
% out: [3, 6, 9, 7]
% out: [1, 3, 5, 7]
% out: [6, 9, 7, 4]
