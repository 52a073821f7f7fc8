print pascal(3)
% out: [[1, 1, 1],
% out:  [1, 2, 3],
% out:  [1, 3, 6]]
