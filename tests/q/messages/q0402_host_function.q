function y = h(x)
   print x
   y = x
endfunction
function [] = __kernel__ k(y : vec, pos : int)
   y[pos] = h(1)   % error[Q0402]: a kernel or device function cannot call the host function 'h'
endfunction
% compile
