print discretize([0.5,2.5,9], [0,1,2,3])
% out: [0, 2, NaN]
