% Compared with Octave, splines with scipy.interpolate, on the same numbers.
print spline([0,1,2,3],[0,1,8,27],1.5)
print spline([0,1,2,4,5],[0,1,0,2,3],[0.5,3,4.5,-1])
% out: 3.375
% out: [1.03125, 0.5, 2.65625, -7.5]
