m = [[1,0,1],[1,0,0],[1,0,1]]
print bwareafilt(m, 1), bwareafilt(m, [1,2])
% out: [[1, 0, 0],
% out:  [1, 0, 0],
% out:  [1, 0, 0]][[0, 0, 1],
% out:  [0, 0, 0],
% out:  [0, 0, 1]]
