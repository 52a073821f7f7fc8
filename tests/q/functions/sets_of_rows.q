% Rows as elements, elements in their order, columns of columns, complex numbers.
a = [[1,2],[3,4],[5,6],[1,2]]
print setdiff(a,[[3,4]],"rows"), " ", union([[1,2]],[[0,1],[1,2]],"rows")
[c,i,j] = intersect(a,[[5,6],[1,2]],"rows")
print c, " ", i, " ", j
[tf,k] = ismember([[1,2],[3,9]],a,"rows")
print tf, " ", k, " ", ismember([[5,6]],a,"rows")
[u,i,j] = unique([[3,1],[0,5],[3,1]],"rows","stable")
print u, " ", i, " ", j
% out: [[1, 2],
% out:  [5, 6]] [[0, 1],
% out:  [1, 2]]
% out: [[1, 2],
% out:  [5, 6]] [0, 2] [1, 0]
% out: [[1],
% out:  [0]] [[0],
% out:  [-1]] 1
% out: [[3, 1],
% out:  [0, 5]] [0, 1] [0, 1, 0]
print union([5,1,3],[4,1],"stable"), " ", setdiff([5,1,3,1],[3],"stable"), " ", intersect([5,1,3],[3,5],"stable")
[u,i,j] = unique([3,1,3,2],"stable")
print u, " ", i, " ", j
% out: [5, 1, 3, 4] [5, 1] [5, 3]
% out: [3, 1, 2] [0, 1, 3] [0, 1, 0, 2]
print size(unique(transpose([3,1,3]))), " ", size(union(transpose([1,2]),[3])), " ", setdiff(transpose([4,2,3]),[4]), " ", size(intersect([1,2],[2,1]))
% out: [2, 1] [3, 1] [[2],
% out:  [3]] [1, 2]
print unique([1+2j,1j,1+2j,3]), " ", union([1j],[1,1j]), " ", ismember([1,1j],[1j]), " ", setdiff([1,1j,-1],[1])
% out: [0+1j, 1+2j, 3+0j] [1+0j, 0+1j] [0, 1] [0+1j, -1+0j]
try
    print union([[1,2]],[[1,2,3]],"rows")
catch e
    print e
end
try
    print setdiff({"a"},{"b"},"rows")
catch e
    print e
end
% out: 'union' of rows with 2 and 3 elements
% out: argument 1 of 'setdiff' needs a matrix of real numbers, not a 'vec[??]'
