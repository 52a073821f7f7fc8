x = [[1,2,3],[4,5,6]]^2   % error[Q0397]: a matrix of size 2x3 to the power 2
