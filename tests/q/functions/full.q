print full(sparse([0,1,1], [1,0,0], [5,6,1])), full([1,2])
% out: [[0, 5],
% out:  [7, 0]][1, 2]
