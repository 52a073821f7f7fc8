[V,d] = eig([[2,1],[1,2]],"vector")
print round(d), " ", round(V*1000)
% out: [1, 3] [[707, 707],
% out:  [-707, 707]]
