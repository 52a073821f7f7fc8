print round(svd([[3,0],[0,4]])), " ", round(svd([[1,1],[1,1]])) % out: [4, 3] [2, 0]
z = complex([[1,2],[3,4],[5,6]],[[1,0],[0,1],[1,1]])
[U,S,V] = svd(z)
print max(abs(z - U*S*conj(transpose(V)))) < 0.0001, " ", max(abs(svd(z) - reshape(diag(S),[1,2]))) < 0.0001
% out: 1 1
