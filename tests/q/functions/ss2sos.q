print size(ss2sos([[-0.5]], [[1]], [[2]], [[1]]))
% out: [1, 6]
