function [] = __kernel__ k(y : vec, pos : int)
   syncthreads(galaxy)   % error[Q0405]: galaxy
endfunction
% compile
