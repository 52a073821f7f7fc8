x = ones(100000)*0.1
print sum(x)
% out: 10000
