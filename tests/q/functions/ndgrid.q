[A,B] = ndgrid([0,1],[0,1,2])
print A, B
[A,B,C] = ndgrid([1,2],[3],[4,5])
print size(C), C[0,0,1]
% out: [[0, 0, 0],
% out:  [1, 1, 1]][[0, 1, 2],
% out:  [0, 1, 2]]
% out: [2, 1, 2]5
