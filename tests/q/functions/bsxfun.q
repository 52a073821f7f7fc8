print bsxfun((a, b) -> a - b, [[1,2],[3,4]], [1,1])
% out: [[0, 1],
% out:  [2, 3]]
