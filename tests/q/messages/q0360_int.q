a = 0
a += 0.5   % warning[Q0360]: type conversion: a scalar value is converted to int in 'a'
print a
% out: 0
