print size(ind2rgb([[0,1]], [[0,0,0],[1,0,0]]))
% out: [1, 2, 3]
