function [] = __kernel__ k(y : vec, pos : int)
   s = shared(200,200)   % error[Q0423]: 160000 bytes of shared memory, a block has 49152
   y[pos] = s[0,0]
endfunction
% compile
