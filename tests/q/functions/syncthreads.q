function [] = __kernel__ k(y : vec, pos : int)
   y[pos] = pos
   syncthreads
   s = y[mod(pos+1,4)]
   syncthreads
   y[pos] = s
endfunction
y = zeros(4)
parallel_do([[4],[4]], y, k)
print y
% out: [1, 2, 3, 0]
