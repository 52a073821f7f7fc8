print gray(3), size(gray())
% out: [[0, 0, 0],
% out:  [0.5, 0.5, 0.5],
% out:  [1, 1, 1]][256, 3]
