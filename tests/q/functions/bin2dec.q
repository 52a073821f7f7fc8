% Compared with Octave, splines with scipy.interpolate, on the same numbers.
print bin2dec("101")
% out: 5
