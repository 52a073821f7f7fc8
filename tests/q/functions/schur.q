[U,T] = schur([[1,2],[3,4]])
print abs(round(1000*diag(T)))
% out: [372, 5372]
A = [[4,1,2,0.5],[1,3,0,-2],[2,0,1,7],[0,5,-1,2]]
[U,T] = schur(A)
print max(max(abs(U*T*transpose(U)-A))) < 1e-4, max(max(abs(U*transpose(U)-eye(4)))) < 1e-4, max(max(abs(tril(T,-2))))
% A pair of complex eigenvalues is a block with equal elements on the diagonal.
print abs(T[2,2]-T[3,3]) < 1e-4, T[3,2]*T[2,3] < 0, round(1000*T[2,2]), round(100*sqrt(-T[3,2]*T[2,3]))
% out: 110
% out: 112161422
[V,S] = schur(A, "complex")
print max(max(abs(V*S*ctranspose(V)-A))) < 1e-4, max(max(abs(tril(S,-1))))
% out: 10
rows = eye(3)
print schur([[0,1,0],[0,0,1],[1,0,0]])[2,2] > 0.999, schur(zeros(2,2)), size(schur([]))
% out: 1[[0, 0],
% out:  [0, 0]][0, 0]
{!serial for}
for n = [1,2,7,12]
    B = sin(reshape(1..n*n, [n,n]) .^ 2)
    [U,T] = schur(B)
    [V,S] = schur(B, "complex")
    print max(max(abs(U*T*transpose(U)-B))) < 1e-4 && max(max(abs(V*S*ctranspose(V)-B))) < 1e-4
end
% out: 1
% out: 1
% out: 1
% out: 1
try
    schur([[1,nan],[2,3]])
catch e
    print e
end
% out: schur: the matrix has elements that are no finite numbers
