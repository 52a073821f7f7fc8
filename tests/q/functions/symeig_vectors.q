A = [[4,1,0],[1,3,1],[0,1,2]]
[V,d] = symeig(A)
print max(abs(A*V - V*diag(d))) < 0.00001
% out: 1
