x = [1,2]
print x[{0}]   % error[Q0341]: cannot be an index
