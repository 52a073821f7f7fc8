[i, j] = find([[0,1],[1,0]])
print i, j
[i, j, v] = find([[0,1.5],[2,0]])
print i, j, v
[i, j, k, v] = find(reshape(0..7, [2,2,2]), 3)
print i, j, k, v
[i, j] = find([0,0])
print numel(i), numel(j)
try
    [i, j, k, l] = find([1,2])
catch message
    print message
end
% out: [0, 1][1, 0]
% out: [0, 1][1, 0][1.5, 2]
% out: [0, 0, 0][0, 1, 1][1, 0, 1][1, 2, 3]
% out: 00
% out: 'find' has 3 outputs for an array of 2 dimensions, 4 requested
