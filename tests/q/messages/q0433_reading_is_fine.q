function [] = __kernel__ k(x : vec, y : vec, pos : int)
   y[pos] = x[pos]
endfunction
y = zeros(2)
parallel_do(2, int([1,2]), y, k)
print y
% out: [1, 2]
