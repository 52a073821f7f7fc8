x = ones(2,2,2)
p = [0,1]
print x[p]   % error[Q0343]: a position vector with 2 components for an array with 3 dimensions
