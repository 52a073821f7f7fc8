[X,Y] = meshgrid([0,1],[0,1,2])
print X, Y
print meshgrid([1,2])
% out: [[0, 1],
% out:  [0, 1],
% out:  [0, 1]][[0, 0],
% out:  [1, 1],
% out:  [2, 2]]
% out: [[1, 2],
% out:  [1, 2]]
