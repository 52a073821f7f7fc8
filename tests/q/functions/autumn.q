print autumn(2)
% out: [[1, 0, 0],
% out:  [1, 1, 0]]
