x = ones(2,2,2)
print x[0,0]   % error[Q0342]: 2 indices for an array with 3 dimensions
