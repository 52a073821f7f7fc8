print intersect([3,1,2],[2,3,9]), " ", intersect({"b","a"},{"a","c"})
[c,i,j] = intersect([3,1,2],[2,3])
print c, " ", i, " ", j
% out: [2, 3] {"a"}
% out: [2, 3] [2, 0] [0, 1]
