print setdiff([3,1,2,3],[1]), " ", numel(setdiff([1,2],[1,2])), " ", setdiff({"b","a"},{"a"})
[c,i] = setdiff([5,3,4],[3])
print c, " ", i
% out: [2, 3] 0 {"b"}
% out: [4, 5] [2, 0]
