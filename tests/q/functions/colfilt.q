print colfilt(ones(3,3), [3,3], "sliding", x -> sum(x, 0))
% out: [[4, 6, 4],
% out:  [6, 9, 6],
% out:  [4, 6, 4]]
