print tril(ones(3,3)), " ", tril(ones(2,3),-1)
% out: [[1, 0, 0],
% out:  [1, 1, 0],
% out:  [1, 1, 1]] [[0, 0, 0],
% out:  [1, 0, 0]]
