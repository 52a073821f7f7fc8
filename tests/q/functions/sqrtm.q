A = [[4,1],[1,3]]
R = sqrtm(A)
print round(R*R*100)/100, " ", round(sqrtm([[-4,0],[0,9]]))
% out: [[4, 1],
% out:  [1, 3]] [[0+2j, 0+0j],
% out:  [0+0j, 3+0j]]
