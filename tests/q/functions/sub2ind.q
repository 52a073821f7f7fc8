% Compared with Octave, splines with scipy.interpolate, on the same numbers.
print sub2ind([3,4],1,2)
print sub2ind([3,4,5],1,2,3)
% out: 6
% out: 33
