% Vectors of either direction keep it, matrices are taken column by column.
x = [[1,2],[3,4],[5,6]]
print upsample(x, 2)
print upsample([[1],[2]], 2, 1)
print upsample([1,2], 3, 1)
print downsample(x, 2)
print downsample(x, 2, 1)
print downsample(transpose([1,2,3,4]), 3)
print upsample([1j], 2)
% out: [[1, 2],
% out:  [0, 0],
% out:  [3, 4],
% out:  [0, 0],
% out:  [5, 6],
% out:  [0, 0]]
% out: [[0],
% out:  [1],
% out:  [0],
% out:  [2]]
% out: [0, 1, 0, 0, 2, 0]
% out: [[1, 2],
% out:  [5, 6]]
% out: [3, 4]
% out: [[1],
% out:  [4]]
% out: [0+1j, 0+0j]
