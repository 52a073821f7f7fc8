print zeros(2,3)
% out: [[0, 0, 0],
% out:  [0, 0, 0]]
