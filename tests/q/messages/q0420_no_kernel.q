parallel_do(3, zeros(3), x -> x)   % error[Q0420]: the last argument of 'parallel_do' must be a kernel function
