print winter(2)
% out: [[0, 0, 1],
% out:  [0, 1, 0.5]]
