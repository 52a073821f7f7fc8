print checkerboard(1, 1), size(checkerboard(2, 3, 1))
% out: [[0, 0.7],
% out:  [1, 0]][12, 4]
