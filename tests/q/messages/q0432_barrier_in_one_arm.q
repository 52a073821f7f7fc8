function [] = __kernel__ k(y : vec, n : int, pos : int)
   s = shared_zeros[int](4)
   if n > 3
       syncthreads
   endif
   y[pos] = s[0]   % warning[Q0432]: 's' from shared_zeros is used before a barrier
endfunction
parallel_do(1, zeros(1), 1, k)
