print sumsq([3,4])
% out: 25
