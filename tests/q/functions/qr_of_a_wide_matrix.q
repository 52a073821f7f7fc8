A = [[1,2,3],[4,5,6]]
[Q,R] = qr(A)
print size(Q), size(R), max(abs(Q*R-A)) < 0.00001
% out: [2, 2][2, 3]1
