[at, c, n, order, dim] = unmkpp(mkpp([0,1,2],[[1,0],[2,1]]))
print at, " ", c, " ", n, order, dim
% out: [0, 1, 2] [[1, 0],
% out:  [2, 1]] 221
