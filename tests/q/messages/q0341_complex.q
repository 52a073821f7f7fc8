x = [1,2]
print x[1j]   % error[Q0341]: cannot be an index
