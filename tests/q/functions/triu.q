print triu(ones(3,3)), " ", triu(ones(2,3),1)
% out: [[1, 1, 1],
% out:  [0, 1, 1],
% out:  [0, 0, 1]] [[0, 1, 1],
% out:  [0, 0, 1]]
