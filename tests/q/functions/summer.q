print summer(2)
% out: [[0, 0.5, 0.4],
% out:  [1, 1, 0.4]]
