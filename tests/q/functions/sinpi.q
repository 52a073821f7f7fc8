print sinpi([0.5,1])
% out: [1, 0]
