print full(spdiags(ones(3,1) * [1,2,1], [-1,0,1], 3, 3)), full(spdiags(transpose([1,2,3]), [1], 3, 3))
% out: [[2, 1, 0],
% out:  [1, 2, 1],
% out:  [0, 1, 2]][[0, 2, 0],
% out:  [0, 0, 3],
% out:  [0, 0, 0]]
