print issymmetric([[1,2],[2,1]])
% out: 1
