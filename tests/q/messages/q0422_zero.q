parallel_do([[4],[0]], zeros(3), __kernel__ (y : vec, pos : int) -> y[0] = 1)   % error[Q0422]: a block size below 1
