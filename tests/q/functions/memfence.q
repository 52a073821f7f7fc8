function [] = __kernel__ k(y : vec, pos : int)
   y[pos] = pos
   memfence(grid)
endfunction
y = zeros(3)
parallel_do(3, y, k)
print y
% out: [0, 1, 2]
