print gausspuls([0], 1000, 0.5)
% out: [1]
