print gamma([0.5,1,5,-1.5]), " ", gamma(6), " ", gamma(-1)
% out: [1.77245, 1, 24, 2.36327] 120 NaN
