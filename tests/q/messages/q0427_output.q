function [s : string] = __kernel__ k(y : vec, pos : int)
   y[pos] = 1
endfunction
x = parallel_do(3, zeros(3), k)   % error[Q0427]: the output 's' of kernel 'k'
