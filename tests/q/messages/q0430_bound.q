function [] = __kernel__ k(y : vec, m : int, n : int, pos : int)
   assert(m < 8 && n < 20)
   s = shared(m, n)   % note[Q0430]: calculated an upper bound for the amount of shared memory: 640 bytes
   y[pos] = s[0,0]
endfunction
parallel_do(1, zeros(1), 2, 3, k)
