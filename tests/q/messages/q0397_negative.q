x = eye(2)^-1   % error[Q0397]: a matrix of size 2x2 to the power -1
