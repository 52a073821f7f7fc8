function [] = __kernel__ k(y : vec, pos : int)
   print pos   % error[Q0403]: print
endfunction
% compile
