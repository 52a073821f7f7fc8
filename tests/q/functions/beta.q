print beta(2,3), " ", beta([1,2],0.5)
beta = 3
print beta + 1
% out: 0.0833333 [2, 1.33333]
% out: 4
