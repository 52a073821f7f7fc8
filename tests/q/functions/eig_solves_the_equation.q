A = [[1,2,0],[0,3,4],[5,0,6]]
[V,D] = eig(A)
print max(abs(A*V - V*D)) < 0.001
% out: 1
