x = [1,2]
print x["a"]   % error[Q0341]: cannot be an index
