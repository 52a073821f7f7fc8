x = [[1,2],[0,5],[1,2],[0,4]]
[u,i,j] = unique(x,"rows")
print u, " ", i, " ", j
print unique([3,1,3,2],"stable"), " ", unique({"b","a","b"},"stable"), " ", size(unique([[nan,1],[nan,1]],"rows"))
try
    print unique(x,"columns")
catch e
    print e.message
end
% out: [[0, 4],
% out:  [0, 5],
% out:  [1, 2]] [3, 1, 0] [2, 1, 2, 0]
% out: [3, 1, 2] {"b", "a"} [2, 2]
% out: argument 2 of 'unique' needs "rows", "stable" or "sorted", not a 'string'
