A = [[1,2,3],[4,5,6],[7,8,10]]
[L,U] = lu(A)
print max(abs(L*U-A)) < 0.00001
% out: 1
