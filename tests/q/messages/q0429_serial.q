function [] = __kernel__ k(y : vec, pos : int)
   y[pos] = 1
   syncthreads
endfunction
serial_do(3, zeros(3), k)   % error[Q0429]: a barrier in a kernel that serial_do runs
