print mldivide([[2,0],[0,4]],[2,8]), " ", mldivide(2,[4,6])
% out: [1, 2] [2, 3]
