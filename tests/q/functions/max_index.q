[m,i] = max([3,9,4])
print m, " ", i
% out: 9 1
