x = [[1,1,0,0],[0,0,0,1],[1,0,0,1]]
print bwselect(x, find([[0,0,0,0],[0,0,0,1],[0,0,0,0]]))
print sum(bwselect(x, find(x)))
% out: [[0, 0, 0, 0],
% out:  [0, 0, 0, 1],
% out:  [0, 0, 0, 1]]
% out: 5
