b = bwboundaries([[0,0,0,0,0],[0,1,1,0,0],[0,1,1,1,0],[0,0,0,0,0]])
print numel(b), transpose(b[0])
b = bwboundaries([[1,1,1],[1,0,1],[1,1,1]])
print transpose(b[0])
b = bwboundaries([[1,0],[0,0]])
print b[0]
% out: 1[[1, 1, 2, 2, 2, 1],
% out:  [1, 2, 3, 2, 1, 1]]
% out: [[0, 0, 0, 1, 2, 2, 2, 1, 0],
% out:  [0, 1, 2, 2, 2, 1, 0, 0, 0]]
% out: [[0, 0],
% out:  [0, 0]]
