[m, n, all_] = mode([1,2,2,1,3])
print m, " ", n, " ", all_
[m, n] = mode([[1,2],[1,3]],0)
print m, " ", n
[m, n, all_] = mode([])
print m, " ", n, " ", all_
% out: 1 2 {[1, 2]}
% out: [1, 2] [2, 1]
% out: NaN 0 {[]}
