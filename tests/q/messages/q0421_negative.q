parallel_do(-3, zeros(3), __kernel__ (y : vec, pos : int) -> y[pos] = 1)   % error[Q0421]: a launch over -3 positions
