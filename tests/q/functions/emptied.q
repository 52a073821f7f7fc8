x = 1..5
print emptied(x, [0,2]), emptied({1,2}, 0)
% out: [2, 4, 5]{[], 2}
