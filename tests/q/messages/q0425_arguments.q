% compile
function [] = __kernel__ k(y : vec, a : scalar, pos : int)
   y[pos] = a
endfunction
parallel_do(3, zeros(3), k)   % error[Q0425]: kernel 'k' needs 2 arguments, 1 are given
