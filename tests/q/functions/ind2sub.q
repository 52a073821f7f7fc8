% Compared with Octave, splines with scipy.interpolate, on the same numbers.
[i,j] = ind2sub([3,4],6)
print i," ",j
[i,j,k] = ind2sub([3,4,5],33)
print i," ",j," ",k
% out: 1 2
% out: 1 2 3
