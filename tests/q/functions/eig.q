print round(eig([[0,1],[-2,-3]]))    % out: [-2, -1]
z = complex([[1,2],[3,4]],[[1,0],[0,1]])
[V,D] = eig(z)
print max(abs(z*V - V*D)) < 0.0001, " ", round(real(sum(D)) - 5), " ", round(imag(sum(D)) - 2)
h = complex([[2,0],[0,2]],[[0,1],[-1,0]])
[V,d] = eig(h,"vector")
print round(d), " ", max(abs(h*V - V*diag(d))) < 0.0001
% out: 1 0 0
% out: [1, 3] 1
