a : int = 0
a = 2.75   % warning[Q0360]: a scalar value is converted to int in 'a'
print a
% out: 2
