y = decimate(sin((0..29) ./ 3), 3)
print numel(y), max(abs(y - sin((0..3..29) ./ 3))) < 0.3
% out: 101
