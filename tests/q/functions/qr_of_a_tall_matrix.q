A = [[1,2],[3,4],[5,6]]
[Q,R] = qr(A)
print max(abs(Q*R-A)) < 0.00001, max(abs(transpose(Q)*Q-eye(2))) < 0.00001, R[1,0]
% out: 110
