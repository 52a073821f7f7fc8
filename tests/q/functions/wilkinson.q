print wilkinson(3)
% out: [[1, 1, 0],
% out:  [1, 0, 1],
% out:  [0, 1, 1]]
