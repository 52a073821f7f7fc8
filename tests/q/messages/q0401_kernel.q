function [] = __kernel__ k(y : vec, a = 3, pos : int)   % error[Q0401]: kernel functions cannot have optional arguments
   y[pos] = a
endfunction
% compile
