[a,d] = dwt([1,3,2,2])
print round(1000*a), " ", round(1000*d)
% out: [2828, 2828] [-1414, 0]
