print ne([1,2],[1,3])
% out: [0, 1]
