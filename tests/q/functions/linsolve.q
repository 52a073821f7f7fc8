% Compared with Octave, splines with scipy.interpolate, on the same numbers.
print linsolve([[2,0],[0,4]],[[2],[8]])
% out: [[1],
% out:  [2]]
