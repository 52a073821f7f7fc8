function [] = __kernel__ k(y : vec, s, pos : int)
   y[pos] = 1
endfunction
parallel_do(3, zeros(3), "text", k)   % error[Q0426]: cannot be passed to a kernel function
% compile
