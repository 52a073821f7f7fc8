x = reshape([1,2,3],2,2)   % error[Q0391]: an array of size 1x3 cannot be reshaped to 2x2
