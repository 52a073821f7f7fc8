p = mkpp([0,1,2],[[1,0],[2,1]])
[at, c, n, order] = unmkpp(p)
print ppval(p,[-1,0.5,1.5,3]), " ", at, " ", n, order, " ", ppval(p,1.0), " ", size(ppval(p,[[0.5],[1.5]]))
% out: [-1, 0.5, 2, 5] [0, 1, 2] 22 1 [2, 1]
