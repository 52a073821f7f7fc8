[a, b] = bounds([[3,1],[2,7]])
print a, " ", b
% out: 1 7
