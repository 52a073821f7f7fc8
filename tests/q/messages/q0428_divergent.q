function [] = __kernel__ k(y : vec, pos : int)
   if pos < 2
       syncthreads   % error[Q0428]: not all threads of the block reach the barrier
   endif
   y[pos] = 1
endfunction
parallel_do([[4],[4]], zeros(4), k)
