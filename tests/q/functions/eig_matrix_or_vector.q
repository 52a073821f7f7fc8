A = [[2,1],[1,2]]
[V, D] = eig(A)
print round(D), " ", norm(A*V - V*D) < 1e-5
[V, d] = eig(A, "vector")
print round(d), " ", round(diag(D))
[V, D] = eig([[0,1],[-1,0]])
print D
print size(eig(A))
% out: [[1, 0],
% out:  [0, 3]] 1
% out: [1, 3] [1, 3]
% out: [[0-1j, 0+0j],
% out:  [0+0j, 0+1j]]
% out: [1, 2]
