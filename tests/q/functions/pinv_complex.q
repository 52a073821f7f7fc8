% numpy.linalg.pinv of the same matrix, whose rank is full, and of one with rank 1.
A = [[1+2i, 3],[0-1i, 2+1i],[4, 1i]]
P = pinv(A)
print max(max(abs(P - [[0.0283-0.0919i, -0.0124+0.0519i, 0.1837+0.0057i],[0.1961+0.0124i, 0.1346-0.0742i, -0.0247-0.0671i]]))) < 1e-3
% out: 1
print max(max(abs(P*A - eye(2)))) < 1e-5
% out: 1
B = [[1i, 2i],[2, 4]]
print max(max(abs(B*pinv(B)*B - B))) < 1e-5, size(pinv(A))
% out: 1[2, 3]
