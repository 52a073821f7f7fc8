% args: -double
print eps
% out: 2.22045e-16
