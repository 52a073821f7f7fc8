function [] = __kernel__ k(y : vec, pos : int)
   try   % error[Q0404]: try is not allowed in kernel and device functions
       y[pos] = 1
   endtry
endfunction
% compile
