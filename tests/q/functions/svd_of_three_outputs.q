A = [[1,2],[3,4],[5,6]]
[U,S,V] = svd(A)
print round(diag(S)*10000), max(abs(U*S*transpose(V)-A)) < 0.0001
% out: [95255, 5143]1
