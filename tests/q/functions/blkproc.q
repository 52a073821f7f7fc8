print blkproc(ones(4,4), [2,2], b -> 2 .* b)
% out: [[2, 2, 2, 2],
% out:  [2, 2, 2, 2],
% out:  [2, 2, 2, 2],
% out:  [2, 2, 2, 2]]
