A = [[4,2],[2,5]]
L = chol(A)
U = chol(A, "upper")
print U - transpose(L), " ", L*transpose(L), " ", chol(A, "lower") - L
% out: [[0, 0],
% out:  [0, 0]] [[4, 2],
% out:  [2, 5]] [[0, 0],
% out:  [0, 0]]
