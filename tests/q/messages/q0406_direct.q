function [] = __kernel__ k(y : vec, pos : int)
   y[pos] = 1
endfunction
k(zeros(3), 0)   % error[Q0406]: kernel function 'k' cannot be called directly: use parallel_do
