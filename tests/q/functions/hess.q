A = [[4,1,2],[1,3,0],[2,0,1]]
[P,H] = hess(A)
print round(1000*H)/1000
print max(max(abs(P*H*transpose(P)-A))) < 1e-5, max(max(abs(P*transpose(P)-eye(3)))) < 1e-5
% out: [[4, -2.236, 0],
% out:  [-2.236, 1.4, 0.8],
% out:  [0, 0.8, 2.6]]
% out: 11
Z = complex(A, [[0,1,5],[2,0,1],[0,3,1]])
[P,H] = hess(Z)
print max(max(abs(P*H*ctranspose(P)-Z))) < 1e-4, max(max(abs(tril(H,-2)))) < 1e-5, hess(7), size(hess([]))
% out: 117[0, 0]
try
    hess(ones(2,3))
catch e
    print e
end
% out: hess: the matrix is not square
