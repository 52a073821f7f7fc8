print spring(2)
% out: [[1, 0, 1],
% out:  [1, 1, 0]]
