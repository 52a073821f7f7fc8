A = [[1,2],[3,4],[5,6]]
[L,U,P] = lu(A)
print size(L), size(U), size(P), max(abs(P*A-L*U)) < 0.00001
% out: [3, 2][2, 2][3, 3]1
