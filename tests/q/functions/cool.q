print cool(2)
% out: [[0, 1, 1],
% out:  [1, 0, 1]]
