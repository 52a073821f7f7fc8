printf(3)   % error[Q0314]: the first argument of a printf function is the format
