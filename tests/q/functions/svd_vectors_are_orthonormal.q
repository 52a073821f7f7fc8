[U,S,V] = svd([[2,1,0],[1,3,1]])
print max(abs(transpose(U)*U-eye(2))) < 0.00001, max(abs(transpose(V)*V-eye(2))) < 0.00001
% out: 11
