% Compared with Octave, splines with scipy.interpolate, on the same numbers.
print histcounts([1,2,2,5,6,NaN],[0,2,4,6])
% out: [1, 2, 2]
