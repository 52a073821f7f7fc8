function [] = __kernel__ k(y : vec, pos : int)
   s = shared_zeros(4)
   s[0] += 1   % warning[Q0432]: 's' from shared_zeros is used before a barrier
   syncthreads
   y[pos] = s[0]
endfunction
y = zeros(2)
parallel_do([[2],[2]], y, k)
print y
% out: [2, 2]
