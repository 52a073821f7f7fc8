function [] = __kernel__ k(y : vec, n : int, pos : int)
   s = shared(n)   % error[Q0423]: 400000 bytes of shared memory, a block has 49152
   y[pos] = s[0]
endfunction
parallel_do(4, zeros(4), 100000, k)
