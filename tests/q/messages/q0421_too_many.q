parallel_do([1e7,1e7], zeros(3), __kernel__ (y : vec, pos : int) -> y[0] = 1)   % error[Q0421]: a launch over more than 2^40 positions
