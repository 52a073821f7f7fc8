print ones(2,2), " ", sum(ones(3,4,5))
% out: [[1, 1],
% out:  [1, 1]] 60
