print round(eig([[0,1],[-2,-3]]))    % out: [-2, -1]
z = complex([[1,2],[3,4]],[[1,0],[0,1]])
[V,d] = eig(z)
print max(abs(z*V - V*diag(d))) < 0.0001, " ", round(real(sum(d)) - 5), " ", round(imag(sum(d)) - 2)
h = complex([[2,0],[0,2]],[[0,1],[-1,0]])
[V,d] = eig(h)
print round(d), " ", max(abs(h*V - V*diag(d))) < 0.0001
% out: 1 0 0
% out: [1, 3] 1
