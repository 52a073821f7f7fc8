print full(speye(2))
% out: [[1, 0],
% out:  [0, 1]]
