A = [[1,2,0],[0,3,4],[5,0,6]]
[V,d] = eig(A)
print max(abs(A*V - V*diag(d))) < 0.001
% out: 1
