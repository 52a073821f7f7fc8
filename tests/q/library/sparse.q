% Compared with scipy.sparse (coo_matrix, the products, spsolve) on the same numbers.
s = sparse([2,0,1,1,0], [1,0,0,2,0], [5,1,2,3,10])
print full(s)
% out: [[11, 0, 0],
% out:  [2, 0, 3],
% out:  [0, 5, 0]]
print nnz(s), " ", s.rows, "x", s.columns, " ", size(s)
% out: 4 3x3 [3, 3]
[i, j, v] = find(s)
print i, j, v
% out: [0, 1, 1, 2][0, 0, 2, 1][11, 2, 3, 5]
t = transpose(s)
print t.full()
% out: [[11, 2, 0],
% out:  [0, 0, 5],
% out:  [0, 3, 0]]
print s*[1,2,3], s*[[1,0],[2,1],[3,1]]
% out: [11, 11, 10][[11, 0],
% out:  [11, 3],
% out:  [10, 5]]
print full(s*t), " ", full(2*s + s - t), " ", diag(s)
% out: [[121, 22, 0],
% out:  [22, 13, 0],
% out:  [0, 0, 25]] [[22, -2, 0],
% out:  [6, 0, 4],
% out:  [0, 12, 0]] [11, 0, 0]
print solve(s, [22,7,10])
% out: [2, 2, 1]
e = sparse(2,3)
print full(e), nnz(e), full(e*[1,2,3])
% out: [[0, 0, 0],
% out:  [0, 0, 0]]0[0, 0]
print full(sparse([[0,1],[2,0]])), full(sparse([0],[0],[7])), sparse([0,1],[1,0],2)*[1,3]
% out: [[0, 1],
% out:  [2, 0]][7][6, 2]
% Systems that are too large for elimination: symmetric and positive, and neither.
n = 900
at = 0..n-1
x = sin(at)
a = sparse(horzcat(at, 0..n-2, 1..n-1), horzcat(at, 1..n-1, 0..n-2), horzcat(4*ones(1,n), -ones(1,2*n-2)), n, n)
u = sparse(horzcat(at, 0..n-2), horzcat(at, 1..n-1), horzcat(4*ones(1,n), -ones(1,n-1)), n, n)
print max(abs(a.solve(a*x) - x)) < 1e-4, max(abs(u.solve(u*x) - x)) < 1e-4
% out: 11
try
    y = sparse([0,5],[0,1],[1,1],2,2)
catch message
    print message
end
% out: sparse: a place lies outside of 2x2
try
    y = s*[1,2]
catch message
    print message
end
% out: sparse: a matrix of 3x3 times a vector of 2 elements
