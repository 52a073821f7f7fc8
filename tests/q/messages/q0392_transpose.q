x = transpose(ones(2,2,2))   % error[Q0392]: transpose needs a vector or matrix, not an array of size 2x2x2
